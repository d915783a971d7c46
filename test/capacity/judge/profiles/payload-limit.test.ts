import type { InstanceEvent } from '../../../../capacity/src/model/events.js';
import type { PayloadTry, PayloadRange } from '../../../../capacity/src/model/reports.js';
import fc from 'fast-check';
import { concludePayloads, judgeTry, nextPayload } from '../../../../capacity/src/judge/profiles/payload-limit.js';
import { judgeRun } from '../../../../capacity/src/judge/run.js';
import { buildGoodStep, buildPayloadRun, regularDeployment } from '../../support/index.js';

const RANGE: PayloadRange = { minMiB: 16, maxMiB: 1024 };

/** Tries payloads on a deployment in which everything up to `truth` survives. */
function search(truth: number, range = RANGE, wrong: Partial<PayloadTry> = {}): PayloadTry[] {
  const tries: PayloadTry[] = [];
  const next = () => nextPayload(tries, range);
  for (let payloadMiB = next(); payloadMiB !== undefined; payloadMiB = next()) {
    tries.push(
      payloadMiB <= truth
        ? { payloadMiB, outcome: 'survived', text: '' }
        : { payloadMiB, outcome: 'broke', limit: 'V8HeapLimit', instance: 'main-0', text: '', ...wrong },
    );
  }
  return tries;
}

const event = (changes: Partial<InstanceEvent>): InstanceEvent => ({
  ...{ at: 1, instance: 'main-0', component: 'main', kind: 'died', detail: 'signal SIGABRT' },
  ...changes,
});

describe('a try', () => {
  test.each<[string, Parameters<typeof buildGoodStep>[0], Partial<PayloadTry>]>([
    ['all answered', {}, { outcome: 'survived', text: '400 requests answered' }],
    [
      'all answered, with full memory',
      { memory: [{ instance: 'main-0', component: 'main', usedBytes: 950, limitBytes: 1000 }] },
      { outcome: 'survived', full: true, text: expect.stringContaining('95 %') as string },
    ],
    [
      'V8 ends n8n',
      {
        events: [event({ reason: 'V8HeapLimit' })],
        executions: null,
        k6: { ...buildGoodStep().k6, message: 'k6 ended' },
      },
      { outcome: 'broke', limit: 'V8HeapLimit', instance: 'main-0' },
    ],
    ['the kernel ends it', { events: [event({ reason: 'OOMKilled' })] }, { outcome: 'broke', limit: 'OOMKilled' }],
    [
      'a probe fails, and n8n is ended for it',
      { events: [event({ kind: 'probe-failed' }), event({ reason: 'LivenessProbe' })] },
      { outcome: 'broke', limit: 'LivenessProbe' },
    ],
    [
      'a probe fails, and n8n is not yet ended for it',
      { events: [event({ kind: 'probe-failed' })] },
      { outcome: 'broke', limit: 'LivenessProbe', instance: 'main-0' },
    ],
    ['a task runner dies', { events: [event({ kind: 'runner-died' })] }, { outcome: 'broke', limit: 'TaskRunner' }],
    ['not ready for a while, yet all answered', { events: [event({ kind: 'unready' })] }, { outcome: 'survived' }],
    [
      'requests fail, nothing dies',
      { summary: { failed: 2, failures: { 'HTTP 500': 2 } } },
      { outcome: 'broke', limit: 'FailedRequests', text: expect.stringContaining('2 × HTTP 500') },
    ],
    [
      'an execution of the warm-up fails',
      { executions: { accepted: 9, completed: 10, failed: 1, drainSeconds: 0 } },
      { outcome: 'broke', limit: 'FailedRequests' },
    ],
    [
      'executions that were accepted never end',
      { executions: { accepted: 9, completed: 0, failed: 0, drainSeconds: 30 } },
      { outcome: 'broke', limit: 'FailedRequests', text: expect.stringContaining('9 of 9 accepted') as string },
    ],
    ['executions are not counted', { executions: null }, { outcome: 'inconclusive' }],
    ['the clock jumps', { clockJumpSeconds: 30 }, { outcome: 'inconclusive' }],
    ['the node is taken away', { events: [event({ kind: 'evicted' })] }, { outcome: 'inconclusive' }],
    [
      'k6 fails',
      { k6: { ...buildGoodStep().k6, message: 'k6 ended with exit code 107' } },
      { outcome: 'inconclusive' },
    ],
    ['nothing ended', { summary: { answered: 0 } }, { outcome: 'inconclusive' }],
  ])('%s', (_, changes, expected) => {
    expect(judgeTry({ ...buildGoodStep(changes), payloadMiB: 64 })).toMatchObject({ payloadMiB: 64, ...expected });
  });
});

test('what dies after a try died of its payload, before the next one begins', () => {
  const run = buildPayloadRun();
  const [first, second] = run.steps.map(({ measuredFrom }) => event({ at: measuredFrom + 12_000, reason: 'Crash' }));
  const late = event({ at: run.steps.at(-1)!.endedAt + 3000, reason: 'LivenessProbe' });
  const found = (events: InstanceEvent[]) =>
    judgeRun({ ...run, events: [...run.events, ...events] }).payloadLimits!.map(({ tries }) =>
      tries.map(({ outcome, limit }) => limit ?? outcome),
    );
  const [one, four] = found([]);
  expect(four).toEqual(['survived', 'OOMKilled', 'survived']);
  expect(found([late])).toEqual([one, ['survived', 'OOMKilled', 'LivenessProbe']]);
  expect(found([first!])).toEqual([['Crash', ...one!.slice(1)], four]);
  // The second try broke already.
  expect(found([second!])).toEqual([one, four]);
});

describe('the search', () => {
  test('the least and the most first, then the middle of what is left', () => {
    expect(search(190).map((t) => t.payloadMiB)).toEqual([16, 1024, 520, 268, 142, 205, 174, 190]);
  });

  test('what is not expected to survive before the most', () => {
    expect(search(190, { ...RANGE, expectedMiB: 400 }).map((t) => t.payloadMiB)).toEqual([
      16, 400, 208, 112, 160, 184, 196,
    ]);
    expect(search(2000, { ...RANGE, expectedMiB: 400 }).map((t) => t.payloadMiB)).toEqual([16, 400, 1024]);
  });

  test('an invalid try is tried again', () => {
    expect(nextPayload([{ payloadMiB: 16, outcome: 'inconclusive', text: '' }], RANGE)).toBe(16);
  });

  test('brackets every truth within 16 MB or 5 %, in few tries, each payload once', () => {
    const range = fc
      .record({
        least: fc.integer({ min: 1, max: 64 }),
        span: fc.integer({ min: 0, max: 4000 }),
        at: fc.double({ min: 0, max: 1, noNaN: true }),
      })
      .map(({ least, span, at }) => ({ minMiB: least, maxMiB: least + span, expectedMiB: least + at * span }));
    fc.assert(
      fc.property(range, fc.integer({ min: 0, max: 5000 }), (within, truth) => {
        const tries = search(truth, within);
        const payloads = tries.map((t) => t.payloadMiB);
        const {
          survivedMiB: survived,
          brokeMiB: broke,
          verdict,
          limit,
        } = concludePayloads(1, tries, within, regularDeployment());
        expect(verdict).toBe('PASS');
        expect(new Set(payloads).size).toBe(payloads.length);
        expect(payloads.every((mb) => Number.isInteger(mb) && mb >= within.minMiB && mb <= within.maxMiB)).toBe(true);
        expect(tries.length).toBeLessThanOrEqual(
          3 + Math.ceil(Math.log2(Math.max(1, (within.maxMiB - within.minMiB) / 16))),
        );
        if (survived !== undefined) expect(survived).toBeLessThanOrEqual(truth);
        if (broke !== undefined) expect(broke).toBeGreaterThan(truth);
        if (survived !== undefined && broke !== undefined)
          expect(broke - survived).toBeLessThanOrEqual(Math.max(16, 0.05 * survived));
        expect(limit === 'LoadTarget').toBe(truth >= within.maxMiB);
      }),
    );
  });
});

describe('the conclusion', () => {
  const deployment = regularDeployment({
    instances: [{ name: 'main-0', component: 'main', limits: { memoryBytes: 2 ** 30 }, heapMiB: 400 }],
  });
  const concluded = (tries: PayloadTry[], clients = 1, more = {}) =>
    concludePayloads(clients, tries, RANGE, { ...deployment, ...more });

  test.each<[string, Partial<PayloadTry>, string[]]>([
    ['V8', {}, ['190 MiB', '205 MiB', 'main-0', '400 MiB', '1024 MiB', 'main.heap.n8n']],
    ['the kernel', { limit: 'OOMKilled' }, ['1024 MiB', 'main.resources.limits.memory']],
    ['the probe', { limit: 'LivenessProbe' }, ['liveness probe']],
    ['a task runner', { limit: 'TaskRunner' }, ['main-0', 'main.heap.runner']],
    ['no death', { limit: 'FailedRequests', text: 'requests failed: 1 × HTTP 500' }, ['1 × HTTP 500']],
  ])('names the limit: %s', (_, wrong, facts) => {
    const found = concluded(search(190, RANGE, wrong));
    expect(found).toMatchObject({
      verdict: 'PASS',
      survivedMiB: 190,
      brokeMiB: 205,
      limit: wrong.limit ?? 'V8HeapLimit',
    });
    for (const fact of facts) expect(found.text).toContain(fact);
  });

  test('says that what survived filled the memory', () => {
    const tries = search(190).map((t) =>
      t.payloadMiB === 190 ? { ...t, full: true as const, text: 'main-0 is full' } : t,
    );
    expect(concluded(tries).text).toContain('plan with less: at 190 MiB main-0 is full');
    expect(concluded(search(190)).text).not.toContain('plan with less');
  });

  test('nothing survives', () => {
    expect(concluded(search(0))).toMatchObject({
      verdict: 'PASS',
      brokeMiB: 16,
      text: expect.stringContaining('16 MiB') as string,
    });
    expect(concluded(search(0)).survivedMiB).toBeUndefined();
  });

  test("everything survives: the load target's ceiling is the limit, and what raises it", () => {
    const all = [16, 512].map((payloadMiB): PayloadTry => ({ payloadMiB, outcome: 'survived', text: '' }));
    const half = concludePayloads(2, all, { minMiB: 16, maxMiB: 512 }, deployment);
    expect(half).toMatchObject({ verdict: 'PASS', survivedMiB: 512, limit: 'LoadTarget' });
    for (const fact of ['2 × 512 MiB', '1024 MiB']) expect(half.text).toContain(fact);
    const lowered = concludePayloads(1, all, { minMiB: 16, maxMiB: 512 }, { ...deployment, loadTargetMegabytes: 512 });
    for (const fact of ['N8N_LOAD_TARGET_MAX_MEGABYTES=512', '1024']) expect(lowered.text).toContain(fact);
  });

  test('a search that did not end is INCONCLUSIVE', () => {
    const cut = search(190).slice(0, 4);
    expect(concluded(cut)).toMatchObject({
      verdict: 'INCONCLUSIVE',
      survivedMiB: 16,
      brokeMiB: 268,
    });
    expect(concluded([]).verdict).toBe('INCONCLUSIVE');
    expect(concluded([{ payloadMiB: 16, outcome: 'inconclusive', text: 'k6 failed' }]).text).toContain('k6 failed');
  });
});
