import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { Reader } from './support/reader.js';
import { Release } from './support/release.js';

/** Every command of the pages that say what to do about an alert. */

jest.setTimeout(900_000);

const folder = fileURLToPath(new URL('../../docs/operate/', import.meta.url));
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));

/** The commands of a page: its blocks, and those in the text that are more than the name of a command. */
function commandsOf(page: string): string[] {
  const text = readFileSync(`${folder}${page}`, 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([^]*?)\n```/gm)].map(([, code]) => code!);
  const inline = [...text.replace(/^```[^]*?^```/gm, '').matchAll(/`((?:kubectl|helm) \S+ \S[^`\n]*)`/g)];
  return [...blocks.filter((code) => /^(kubectl|helm) /.test(code)), ...inline.map(([, code]) => code!)];
}
const commands = pages.flatMap((page) => commandsOf(page).map((code): [string, string] => [page, code]));

const values = {
  rescue: { enabled: true, apiKey: { existingSecret: 'n8n-api-key' } },
  ...Object.fromEntries(
    ['main', 'worker', 'webhook', 'postgresql'].map((name) => [name, { resources: { requests: { cpu: '100m' } } }]),
  ),
};

const reader = new Reader();
let release: Release;

/** Name of a worker whose container was restarted. Kills one if none was. */
async function restarted(): Promise<string> {
  const names = (await release.pods('worker')).map(({ metadata }) => metadata.name as string);
  const again = async () => (await release.restarts()).find(({ pod }) => names.includes(pod))?.pod;
  const found = await again();
  if (found !== undefined) return found;
  await release.namespace.kubectl(['exec', names[0]!, '-c', 'n8n', '--', 'sh', '-c', 'kill -KILL -1']).catch(() => {});
  await eventually('the worker is started again', 120, async () => (await again()) !== undefined);
  await release.ready();
  return names[0]!;
}

beforeAll(async () => {
  release = await Release.create('runbooks');
  const secret = ['create', 'secret', 'generic', 'n8n-api-key', '--from-literal=api-key=none'];
  await release.namespace.kubectl(secret);
  await release.install(values, 'profiles/queue.yaml');
  // A second revision, so that there is one to go back to.
  await release.upgrade(values, 'profiles/queue.yaml');
});
afterAll(async () => {
  await release?.delete();
  reader.end();
});
afterEach(() => release.ready());

test('the pages have commands', () => {
  expect(commands.length).toBeGreaterThan(15);
});

test.each(commands)('%s: %s', async (_, code) => {
  const pod = /\bPOD\b/.test(code) ? await restarted() : '';
  const own = code.replace(/\bPOD\b/g, pod).replace('--replicas=N', '--replicas=3');
  // There may be nothing to find.
  const isSearch = /\| grep /.test(own);
  const { stdout, stderr } = await reader.run(isSearch ? `${own} || [ $? = 1 ]` : own, release.namespace);
  if (!isSearch && !own.includes('logs')) expect(stdout).not.toBe('');
  expect(stderr).not.toMatch(/error|not found/i);
});
