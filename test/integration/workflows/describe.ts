import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptsFolder, workflowsFolder } from '../../../capacity/src/core/paths.js';
import { loadTargetsFolder } from '../../../capacity/src/provision/load-targets.js';
import type { N8nRuntime } from '../../../capacity/src/tools/runtimes.js';
import semver from 'semver';
import { startRedis, type RunningRedis } from '../../browser/redis.js';
import { calls } from './calls.js';
import { createN8n, type N8n } from './n8n.js';

/** The k6 scripts' check of an answer. Plain JavaScript, so it has no types. */
const { expectedAnswer, findFault } = await import(join(scriptsFolder, 'lib', 'proof.js'));

const readIds = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(folder, file), 'utf8')).id]),
  );
const originals = join(workflowsFolder, 'original');
const ids = readIds(workflowsFolder);
const originalIds = Object.values(readIds(originals));

/** These workflows start by themselves as soon as they are active. */
const INTERVAL = 'memory-hog-interval';
const byThemselves = [INTERVAL, 'queue-watch'];
/** Another workflow calls it. Since n8n 2.0 it is published like any other; before, it cannot be activated. */
const CHILD = 'sub-workflow-child';
const first = Object.keys(ids).filter((name) => name !== INTERVAL);
const BASE = 'n8n-nodes-base.';
const WEBHOOK = `${BASE}webhook`;
const queue = { waiting: 3, delayed: 1 };

const withQuery = (name: string, query: object) => `${name}?${new URLSearchParams(query as Record<string, string>)}`;

/** Every workflow of `workflows/` in one n8n: imported, activated and called. */
export function describeWorkflows(runtime: N8nRuntime): void {
  test('every workflow is called by this test or starts by itself', () => {
    expect([...calls.map(({ name }) => name), ...byThemselves, CHILD].sort()).toEqual(Object.keys(ids).sort());
  });

  describe(`n8n ${runtime.version}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-check-'));
    let redis: RunningRedis;
    let n8n: N8n;
    let imported: Record<string, boolean>;
    let watched: Array<Record<string, unknown>>;
    let saidAtStart: string[];
    const forms = loadTargetsFolder(runtime.version);
    const activated = first.filter((name) => name !== CHILD || semver.gte(runtime.version, '2.0.0'));

    beforeAll(async () => {
      redis = await startRedis(folder, queue);
      n8n = await createN8n(runtime);
      // As workflows/README.md describes, which leaves them inactive.
      await n8n.command('import:workflow', '--separate', `--input=${makeFolder(folder, forms, activated)}`);
      await n8n.importCredentials(redis.port);
      watched = await n8n.execute(ids['queue-watch']!, 'Bull Queue');
      await n8n.activateAll(activated.map((name) => ids[name]!));
      const inactive = first.filter((name) => !activated.includes(name));
      if (inactive.length > 0)
        await n8n.command('import:workflow', '--separate', `--input=${makeFolder(folder, forms, inactive)}`);
      await n8n.command('import:workflow', '--separate', `--input=${originals}`);
      imported = await n8n.workflows();
      await n8n.start(calls.map(({ name }) => name));
      saidAtStart = n8n.readLog();
    });
    afterAll(async () => {
      await n8n?.remove();
      await redis?.stop();
      rmSync(folder, { recursive: true });
    });

    test('imports the workflows and activates them; the originals are imported too', () => {
      const active = first.map((name) => [ids[name], activated.includes(name)]);
      const inactive = originalIds.map((id) => [id, false]);
      expect(imported).toEqual(Object.fromEntries([...active, ...inactive]));
    });

    test('the workflows use node versions that this n8n knows, and the newest version of the Webhook node', () => {
      const known = readNodeVersions(runtime);
      for (const name of Object.keys(ids)) {
        const { nodes } = JSON.parse(readFileSync(join(forms, `${name}.json`), 'utf8')) as { nodes: KnownNode[] };
        for (const { type, typeVersion } of nodes.filter(({ type }) => type.startsWith(BASE))) {
          expect([type, known.get(type)]).toEqual([type, expect.arrayContaining([typeVersion])]);
          if (type === WEBHOOK) expect(typeVersion).toBe(Math.max(...known.get(type)!));
        }
      }
    });

    test('loads the node package without a warning', () => {
      expect(saidAtStart.filter((line) => /n8n-nodes-tuned|load.?target|bull.?queue/i.test(line))).toEqual([]);
    });

    test.each(calls)('$name answers 403 without the header', async ({ name, query }) => {
      expect(await n8n.call(withQuery(name, query), {})).toMatchObject({ status: 403 });
    });

    test.each(calls)('$name answers with the proof of its work', async ({ name, query, answer }) => {
      const response = await n8n.callSuccessfully(withQuery(name, query));
      const body = JSON.parse(response.body);
      expect(body).toMatchObject(answer);
      expect(findFault(expectedAnswer(name, query), response)).toBeUndefined();
      if (body.identity) expect(body.identity).toMatchObject({ n8nVersion: runtime.version, component: 'main' });
    });

    test.each(calls.filter(({ refused }) => refused))(
      '$name refuses $refused with HTTP 500',
      async ({ name, refused }) => {
        expect(await n8n.call(withQuery(name, refused!))).toMatchObject({ status: 500 });
      },
    );

    test.each(['generate', 'read', 'write'])('transform takes its mode from the query: %s', async (mode) => {
      const { body } = await n8n.callSuccessfully(withQuery('transform', { mode, kb: 20 }));
      expect(JSON.parse(body)).toMatchObject({ operation: 'transform', mode, kilobytes: 20, bytes: 20 * 1024 });
    });

    test('http-fan-out takes its URL from the query, and refuses one that leads elsewhere', async () => {
      const answered = await n8n.callSuccessfully(
        withQuery('http-fan-out', { n: 2, url: `${n8n.url}/webhook/nothing-here` }),
      );
      expect(JSON.parse(answered.body)).toMatchObject({
        url: `${n8n.url}/webhook/nothing-here`,
        requests: 2,
        statuses: { 404: 2 },
      });
      const elsewhere = await n8n.call(withQuery('http-fan-out', { n: 2, url: 'http://192.0.2.1/' }));
      expect(elsewhere.status).toBe(500);
    });

    test('webhook-ack-wait works after its answer, and then fails on a refused value', async () => {
      await n8n.call(withQuery('webhook-ack-wait', { seconds: 'soon' }));
      await waitUntil(() => n8n.countExecutions(ids['webhook-ack-wait']!, 'failed') === 1);
      expect(n8n.countExecutions(ids['webhook-ack-wait']!, 'success')).toBe(1);
    });

    test('queue-watch runs by itself, every few seconds', async () => {
      await waitUntil(() => n8n.countExecutions(ids['queue-watch']!, 'success') > 0);
      expect(n8n.countExecutions(ids['queue-watch']!, 'failed')).toBe(0);
    });

    test('queue-watch sees the jobs that Bull has added to the queue', () => {
      expect(watched).toEqual([expect.objectContaining(queue)]);
    });

    // Runs last, because two of its executions at once hold all memory that a process may hold.
    test('memory-hog-interval runs by itself, every few seconds', async () => {
      await n8n.stop();
      // Imported from a folder, because n8n 0.x takes a single file only as an array.
      await n8n.command('import:workflow', '--separate', `--input=${makeFolder(folder, forms, [INTERVAL])}`);
      await n8n.activate(ids[INTERVAL]!);
      await n8n.start([]);
      await waitUntil(() => n8n.countExecutions(ids[INTERVAL]!, 'success') > 0);
      expect(n8n.countExecutions(ids[INTERVAL]!, 'failed')).toBe(0);
    });

    test('n8n still runs after all calls', () => {
      expect(n8n.listDeaths()).toEqual([]);
    });
  });
}

interface KnownNode {
  type: string;
  typeVersion: number;
}

/** The versions of each of n8n's own nodes in this n8n, from its list of node types. */
function readNodeVersions({ n8n }: N8nRuntime): Map<string, number[]> {
  const file = createRequire(n8n).resolve('n8n-nodes-base/dist/types/nodes.json');
  const versions = new Map<string, number[]>();
  const types = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: number | number[] }[];
  for (const { name, version } of types) {
    // n8n below 1.0 lists full names.
    const type = name.startsWith(BASE) ? name : BASE + name;
    versions.set(type, [...(versions.get(type) ?? []), ...[version].flat()]);
  }
  return versions;
}

/** A new folder that holds only these workflows. */
function makeFolder(parent: string, source: string, names: string[]): string {
  const target = mkdtempSync(join(parent, 'workflows-'));
  for (const name of names) copyFileSync(join(source, `${name}.json`), join(target, `${name}.json`));
  return target;
}

/** Waits for at most two minutes. If it does not happen, the next expectation fails. */
async function waitUntil(happened: () => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end && !happened(); await sleep(200));
}
