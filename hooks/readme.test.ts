import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const hooks = ['admission', 'repairs', 'accelerators'].flatMap((family) =>
  readdirSync(join(here, family)).map((name) => join(family, name)),
);

test('the table of versions is that of the record (else: node scripts/hooks-versions.mjs)', () => {
  const { status, stderr } = spawnSync('node', [join(here, '../scripts/hooks-versions.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.each(hooks)('%s has its code, a test, and a page that names the value that switches it', (hook) => {
  const files = readdirSync(join(here, hook));
  expect(files).toContain('index.js');
  expect(files.some((name) => name.endsWith('.test.ts'))).toBe(true);
  const page = readFileSync(join(here, hook, 'README.md'), 'utf8');
  expect(page.split('\n').length).toBeLessThanOrEqual(25);
  expect(page).toMatch(/`[a-z][A-Za-z]+(\.[a-zA-Z]+)+/);
  expect(existsSync(join(here, hook, 'index.js'))).toBe(true);
});
