import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adoptForeign } from '../../../capacity/src/chart/foreign.js';
import { UsageError } from '../../../capacity/src/core/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

const adoptText = (text: string) => {
  const manifests = join(folder, 'n8n.yaml');
  writeFileSync(manifests, text);
  return adoptForeign('helm is not needed', { manifests }, { files: [], set: [] });
};

const DEPLOYMENT = (name: string) => `
kind: Deployment
metadata: { name: ${name}, annotations: }
spec: { template: { spec: { containers: [{ name: n8n, image: n8nio/n8n:2.41.1, args: [start] }] } } }
`;

test.each([
  ['documents', `# nothing\n---\n${DEPLOYMENT('n8n')}`],
  ['a List', `kind: List\nitems:\n  - ${DEPLOYMENT('n8n').trim().replaceAll('\n', '\n    ')}`],
])('reads %s', async (_, text) => {
  const { objects } = await adoptText(text);
  expect(objects.map(({ kind }) => kind)).toContain('Deployment');
});

test.each([
  ['no YAML', 'kind: [', /is not valid YAML/],
  ['an alias of another document', 'a: &a 1\n---\nb: *a', /is not valid YAML/],
  ['no n8n', 'kind: Service\nmetadata: { name: n8n }', /n8n/],
  ['no objects', '', /n8n/],
])('refuses %s', async (_, text, message) => {
  const refusal = adoptText(text);
  await expect(refusal).rejects.toThrow(UsageError);
  await expect(refusal).rejects.toThrow(message);
});

test('refuses a file that does not exist', () =>
  expect(adoptForeign('', { manifests: join(folder, 'none.yaml') }, { files: [], set: [] })).rejects.toThrow(
    /does not exist/,
  ));

test('passes a chart whose name looks like an option of helm as a chart, since some options run programs', async () => {
  const helm = join(folder, 'helm');
  writeFileSync(helm, '#!/bin/sh\nprintf "%s\\n" "$@" >&2\nexit 1\n', { mode: 0o755 });
  const values = { files: [], set: ['a=b'] };
  const refusal = adoptForeign(helm, { chart: '--post-renderer=/tmp/x' }, values);
  await expect(refusal).rejects.toThrow(UsageError);
  const given = join(folder, 'given');
  writeFileSync(helm, `#!/bin/sh\nprintf '%s\\n' "$@" > ${given}\n`, { mode: 0o755 });
  await expect(adoptForeign(helm, { chart: '--post-renderer=/tmp/x' }, values)).rejects.toThrow(/n8n/);
  const words = readFileSync(given, 'utf8').trim().split('\n');
  expect(words).toEqual(['template', '--set', 'a=b', '--', 'n8n', '--post-renderer=/tmp/x']);
});
