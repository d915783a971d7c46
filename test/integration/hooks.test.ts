import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import { readPinnedVersions } from '../../capacity/src/tools/runtimes.js';
import { queue, type Values } from '../chart/render.js';
import { type Bound, type HeldRequest, HookedN8n } from './hooks/deployment.js';
import { WEBHOOK_ID, WITH_BODY } from './hooks/workflows.js';

// Each test starts n8n's processes, which takes minutes on a busy machine.
jest.setTimeout(600_000);

const versions = await readPinnedVersions();
const RECORD = join(repositoryFolder, 'hooks/versions.json');
/** What `N8N_TUNED_RECORD=1` writes: the hooks that bound and those that did not, by version of n8n and mode. */
type Versions = Record<string, Record<string, Bound>>;
const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as Versions;
const seen: Versions = {};
const isRecording = process.env.N8N_TUNED_RECORD !== undefined;
afterAll(() => {
  if (isRecording) writeFileSync(RECORD, `${JSON.stringify(seen, null, 2)}\n`);
});

/** Expects that the logs name the hooks of the record, and that no hook found n8n changed. */
function expectBound(version: string, mode: string, bound: Bound): void {
  (seen[version] ??= {})[mode] = bound;
  for (const { inactive } of Object.values(bound)) expect(inactive).toEqual([]);
  if (!isRecording) expect(bound).toEqual(recorded[version]![mode]);
}

const PLACES = 15;
const BODY_SECONDS = 3;
const overload: Values = { overload: { maxRequests: PLACES, queue: 20, maxWaitSeconds: 1, bodySeconds: BODY_SECONDS } };

describe.each(versions)('n8n %s in regular mode', (version) => {
  let n8n: HookedN8n;
  const ack = () => n8n.status('/webhook/webhook-ack');
  beforeAll(async () => void (n8n = await HookedN8n.start(version, overload)));
  afterAll(() => n8n?.end());

  test("each hook binds beside the user's hook", async () => {
    expectBound(version, 'regular', n8n.bound());
    expect(n8n.ranTheirs).toBe(true);
    expect(await n8n.recorded()).toEqual(n8n.bound().main);
  });

  test.each([
    '/webhook/orders/:id',
    '/webhook/orders/%3Aid',
    '/webhook/orders/%3aid/',
    `/webhook/${WEBHOOK_ID}/orders/:id`,
  ])('%s starts no workflow', async (path) => expect(await n8n.status(path)).toBe(404));

  test('a webhook with a parameter is served', async () =>
    expect(await n8n.status(`/webhook/${WEBHOOK_ID}/orders/5`)).toBe(200));

  test.each(['/webhook/webhook-ack', '/healthz'])('%s is served to a client that asks for HTTP/2', async (path) =>
    expect(await n8n.statusOfUpgrade(path)).toBe(200),
  );

  test('requests whose bodies do not arrive lose their places, and n8n serves other requests meanwhile', async () => {
    const began = await n8n.began();
    const held: HeldRequest[] = n8n.holdBack(WITH_BODY, 30);
    try {
      const until = performance.now() + 1000 * (BODY_SECONDS - 1);
      const served: number[] = [];
      while (performance.now() < until) served.push(await ack());
      expect(new Set(served)).toEqual(new Set([200]));
      const statuses = await Promise.all(held.map((one) => one.answered()));
      const count = (status: number) => statuses.filter((one) => one === status).length;
      // Requests without a place were refused.
      expect([count(408) + count(503), count(408) >= PLACES / 2]).toEqual([30, true]);
      process.stderr.write(
        `n8n ${version}: of 30 requests with a byte of their body, ${count(408)} got 408 and ${count(503)} got 503; ${served.length} others were served in ${BODY_SECONDS - 1} s\n`,
      );
      expect(await n8n.status(WITH_BODY, { method: 'POST', body: 'x'.repeat(1000) })).toBe(200);
      expect(await n8n.began()).toEqual(began);
    } finally {
      for (const one of held) one.end();
    }
  });

  test('a hanging workflow leaves places for other requests', async () => {
    const leave = new AbortController();
    const hung = Array.from({ length: 2 * PLACES }, () =>
      n8n.status('/webhook/webhook-wait?seconds=20', { signal: leave.signal }).catch(() => undefined),
    );
    // Requests without a place are refused after a second.
    const refused = await Promise.race([...hung]);
    expect(refused).toBe(503);
    for (let i = 0; i < 10; i++) expect(await ack()).toBe(200);
    leave.abort();
    await Promise.all(hung);
  });
});

describe.each(versions)('n8n %s in queue mode', (version) => {
  let n8n: HookedN8n;
  beforeAll(async () => void (n8n = await HookedN8n.start(version, queue({ webhook: { replicas: 1 } }), [])));
  afterAll(() => n8n?.end());

  test("each hook binds beside the user's hook", () => {
    expectBound(version, 'queue', n8n.bound());
    expect(n8n.ranTheirs).toBe(true);
  });
});

describe('without its hooks', () => {
  let n8n: HookedN8n;
  const requests = { refuseLiteralParameters: false, ignoreUpgrades: false };
  beforeAll(async () => void (n8n = await HookedN8n.start('2.41.1', { requests })));
  afterAll(() => n8n?.end());

  test('n8n 2.41.1 starts a workflow for a literal parameter, without the id of its webhook', async () =>
    expect(await n8n.status('/webhook/orders/:id')).toBe(200));

  test('n8n 2.41.1 main does not answer a client that asks for HTTP/2', async () =>
    expect(await n8n.statusOfUpgrade('/webhook/webhook-ack')).toBeUndefined());
});
