import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { isLeftOver, sweepFolders } from '../../../capacity/src/provision/leftovers.js';

const parent = mkdtempSync(join(tmpdir(), 'leftovers-'));
afterAll(() => rmSync(parent, { recursive: true }));
afterEach(() => {
  jest.restoreAllMocks();
  for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true });
});

/** No process has this id: it is above the kernel's most. */
const ENDED = 4_194_305;

function folder(name: string): string {
  mkdirSync(join(parent, name));
  writeFileSync(join(parent, name, 'file'), 'x');
  return join(parent, name);
}

test('folders of runs that were killed are removed, and nothing else', async () => {
  folder(`n8n-tuned-${ENDED}-a`);
  for (const name of [`n8n-tuned-${process.pid}-b`, 'n8n-tuned-notes', `other-${ENDED}-c`]) folder(name);
  await sweepFolders(parent);
  expect(readdirSync(parent).sort()).toEqual(
    [`n8n-tuned-${process.pid}-b`, 'n8n-tuned-notes', `other-${ENDED}-c`].sort(),
  );
});

test('a link remains, with what it names', async () => {
  const target = folder('precious');
  symlinkSync(target, join(parent, `n8n-tuned-${ENDED}-link`));
  await sweepFolders(parent);
  expect(lstatSync(join(parent, `n8n-tuned-${ENDED}-link`)).isSymbolicLink()).toBe(true);
  expect(existsSync(join(target, 'file'))).toBe(true);
});

test('what links in a folder name remains', async () => {
  const target = folder('precious');
  symlinkSync(target, join(folder(`n8n-tuned-${ENDED}-a`), 'link'));
  await sweepFolders(parent);
  expect(readdirSync(parent)).toEqual(['precious']);
  expect(existsSync(join(target, 'file'))).toBe(true);
});

test('folders of other users remain, also where root sweeps', async () => {
  const other = folder(`n8n-tuned-${ENDED}-a`);
  jest.spyOn(process as Required<NodeJS.Process>, 'geteuid').mockReturnValue(4_000_000);
  await sweepFolders(parent);
  expect(existsSync(join(other, 'file'))).toBe(true);
});

test.each([
  [`${ENDED}-a`, true],
  [`${process.pid}-a`, false],
  ['0-a', false],
  ['1-a', false],
  ['a', false],
])('%s', (name, isLeft) => expect(isLeftOver(name)).toBe(isLeft));
