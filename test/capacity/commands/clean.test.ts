import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'clean-'));
afterAll(() => rmSync(folder, { recursive: true }));
const calls = join(folder, 'calls');
beforeEach(() => writeFileSync(calls, ''));

const namespace = (name: string, hours: number) => ({
  metadata: {
    name,
    creationTimestamp: new Date(Date.now() - hours * 3_600_000).toISOString(),
    annotations: { 'n8n-tuned.io/capacity-hostname': `runner of ${hostname()}` },
  },
});
const items = [namespace('n8n-capacity-old', 3), namespace('n8n-capacity-new', 1), namespace('production', 100)];
writeFileSync(join(folder, 'namespaces'), JSON.stringify({ items }));
for (const name of ['kubectl', 'helm']) {
  const answers = `case "$*" in *"get namespaces"*) cat ${folder}/namespaces ;; version*) echo v4.3.1 ;; esac`;
  writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >>${calls}\n${answers}\n`, { mode: 0o755 });
}

const clean = (...args: string[]) =>
  spawnSync(
    process.execPath,
    [
      join(import.meta.dirname, '../../../capacity/bin/n8n-capacity.js'),
      'clean',
      '--provisioner',
      'kubernetes',
      ...args,
    ],
    { encoding: 'utf8', env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` } },
  );

test('namespaces of runs that are old enough are removed with their releases, and no others', () => {
  const { status, stdout } = clean('--older-than', '2h', '--yes', '--kube-context', 'ci');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^namespace n8n-capacity-old .*3\.0 h.*\nremoved 1\n$/);
  const said = readFileSync(calls, 'utf8');
  expect(said).toMatch(/^helm uninstall .*n8n-capacity-old.*--kube-context ci/m);
  expect(said).toMatch(/^kubectl --context=ci delete namespace n8n-capacity-old /m);
  expect(said).not.toMatch(/n8n-capacity-new|production/);
});

test.each([
  [['--older-than', '2h'], '--yes'],
  [[], '--older-than'],
  [['--older-than', 'soon'], '--older-than'],
])('%j is refused, and nothing is removed', (args, named) => {
  const { status, stderr } = clean(...args);
  expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining(named) });
  expect(readFileSync(calls, 'utf8')).not.toContain('delete');
});
