import type { PartSummary, StepRecord } from '../../../capacity/src/model/step.js';
import type { InstanceEvent } from '../../../capacity/src/model/events.js';
import type { Verdict } from '../../../capacity/src/model/verdict.js';
import { judgeStep } from '../../../capacity/src/judge/step.js';
import { buildGoodStep } from '../support/index.js';

const slo = { p95: 0.8, p99: 2, errors: 0.01 };
const death: InstanceEvent = {
  at: 1,
  instance: 'main-0',
  component: 'main',
  kind: 'died',
  reason: 'OOMKilled',
  detail: 'signal SIGKILL',
};
const inCluster = (kind: InstanceEvent['kind'], detail: string): InstanceEvent => ({
  at: 1,
  instance: 'worker',
  component: 'worker',
  kind,
  detail,
});
const memory = (share: number) => ({
  instance: 'main-0',
  component: 'main' as const,
  usedBytes: share * 2 ** 31,
  limitBytes: 2 ** 31,
});
const lost = { sent: 440, accepted: 440, completed: 420, failed: 0, drainSeconds: 30 };
const mixOf = (rare: PartSummary) => ({ 'webhook-ack': { answered: 396, failed: 0, slow: {} }, 'memory-hog': rare });
const growing = Array.from({ length: 20 }, (_, at) => ({ at, executions: at * 5 }));
const slower = Array.from({ length: 10 }, (_, at) => ({
  at,
  sent: 20,
  answered: 20,
  failed: 0,
  p50: 0.05 + at * 0.05,
}));

interface Case {
  what: string;
  step: StepRecord;
  verdict: string;
  code?: string;
  /** Facts that the texts of the reasons hold. */
  facts?: string[];
}

const cases: Case[] = [
  { what: 'a step in which all is well', step: buildGoodStep(), verdict: 'PASS' },
  {
    what: 'two hours in which one request of 72,001 was not sent, and one answer took 2.1 s',
    step: buildGoodStep({
      rate: 10,
      measuredTo: 1_000_000 + 7_200_000,
      backlog: Array.from({ length: 7200 }, (_, at) => ({ at, executions: at % 2 })),
      executions: { sent: 72_030, accepted: 72_030, completed: 72_030, failed: 0, drainSeconds: 0.1 },
      summary: {
        ...{ offered: 72_001, answered: 72_000, dropped: 1 },
        ...{ latency: { p50: 0.05, p95: 0.12, p99: 0.2, max: 2.1 }, slow: { p95: 1, p99: 1 } },
      },
    }),
    verdict: 'PASS',
  },
  {
    what: 'too many errors',
    step: buildGoodStep({
      summary: { answered: 385, failed: 15, failures: { 'HTTP 500': 12, 'no answer (k6 1050)': 3 } },
    }),
    verdict: 'FAIL',
    code: 'errors',
    facts: ['15 of 400', '1 %', '12 × HTTP 500'],
  },
  {
    what: 'errors that chance may explain',
    step: buildGoodStep({ summary: { answered: 394, failed: 6, failures: { 'HTTP 500': 6 } } }),
    verdict: 'INCONCLUSIVE',
    code: 'unproven',
  },
  {
    what: 'more slow answers than the p95 allows, by their bound',
    step: buildGoodStep({ summary: { slow: { p95: 30, p99: 0 } } }),
    verdict: 'FAIL',
    code: 'p95',
    facts: ['30 of 400', '800 ms', '5 %'],
  },
  {
    what: 'as many slow answers as the p95 allows',
    step: buildGoodStep({ summary: { slow: { p95: 20, p99: 0 } } }),
    verdict: 'INCONCLUSIVE',
    code: 'unproven',
  },
  {
    what: 'a few slow answers',
    step: buildGoodStep({ summary: { slow: { p95: 8, p99: 0 } } }),
    verdict: 'PASS',
  },
  {
    what: 'a few slow answers, all in the same seconds',
    step: buildGoodStep({
      summary: {
        slow: { p95: 12, p99: 0 },
        seconds: buildGoodStep().summary.seconds.map((s) => (s.at === 4 ? { ...s, slow: { p95: 12 } } : s)),
      },
    }),
    verdict: 'INCONCLUSIVE',
    code: 'unproven',
  },
  {
    what: 'memory above 90 % of the limit',
    step: buildGoodStep({ memory: [memory(0.92)] }),
    verdict: 'FAIL',
    code: 'memory',
    facts: ['main-0', '92 %'],
  },
  {
    what: 'memory below it',
    step: buildGoodStep({ memory: [memory(0.88)] }),
    verdict: 'PASS',
  },
  {
    what: 'a slow p95',
    step: buildGoodStep({ summary: { latency: { p50: 0.1, p95: 1.3, p99: 1.4, max: 1.4 } } }),
    verdict: 'FAIL',
    code: 'p95',
    facts: ['p95', '1.30 s', '800 ms'],
  },
  {
    what: 'a slow p99',
    step: buildGoodStep({ summary: { latency: { p50: 0.1, p95: 0.2, p99: 3.1, max: 3.2 } } }),
    verdict: 'FAIL',
    code: 'p99',
  },
  {
    what: 'green answers while executions are lost',
    step: buildGoodStep({ executions: { accepted: 260, completed: 250, failed: 0, drainSeconds: 30 } }),
    verdict: 'FAIL',
    code: 'completed',
    facts: ['10 of 260', '30 s'],
  },
  {
    what: 'executions that end as failed',
    step: buildGoodStep({ executions: { sent: 460, accepted: 460, completed: 460, failed: 15, drainSeconds: 1 } }),
    verdict: 'FAIL',
    code: 'errors',
    facts: ['15 × execution failed'],
  },
  {
    what: 'one lost execution',
    step: buildGoodStep({ executions: { sent: 460, accepted: 460, completed: 459, failed: 0, drainSeconds: 30 } }),
    verdict: 'FAIL',
    code: 'completed',
  },
  {
    what: 'more executions than requests',
    step: buildGoodStep({ executions: { sent: 460, accepted: 460, completed: 600, failed: 0, drainSeconds: 1 } }),
    verdict: 'INCONCLUSIVE',
    code: 'count-unreadable',
  },
  {
    what: 'a request that was not answered, whose execution ended',
    step: buildGoodStep({ executions: { sent: 460, accepted: 459, completed: 460, failed: 0, drainSeconds: 1 } }),
    verdict: 'PASS',
  },
  {
    what: 'fewer requests than planned',
    step: buildGoodStep({ summary: { offered: 60, answered: 60 } }),
    verdict: 'INCONCLUSIVE',
    code: 'generator',
    facts: ['60 of 400'],
  },
  {
    what: 'green answers with a growing backlog',
    step: buildGoodStep({ backlog: growing }),
    verdict: 'FAIL',
    code: 'backlog',
  },
  {
    what: 'a latency that grows all along',
    step: buildGoodStep({ summary: { seconds: slower } }),
    verdict: 'FAIL',
    code: 'latency-trend',
  },
  {
    what: 'a death, even with good figures',
    step: buildGoodStep({ events: [death] }),
    verdict: 'FAIL',
    code: 'died',
    facts: ['main-0', 'OOMKilled'],
  },
  {
    what: 'the same death three times, as one reason',
    step: buildGoodStep({ events: [death, { ...death, at: 2 }, { ...death, at: 3 }] }),
    verdict: 'FAIL',
    code: 'died',
    facts: ['OOMKilled', '3 times'],
  },
  {
    what: 'requests that found every client waiting',
    step: buildGoodStep({
      summary: { dropped: 20, offered: 420, vusMost: 1210, latency: { p50: 0.1, p95: 0.2, p99: 0.3, max: 9 } },
    }),
    verdict: 'FAIL',
    code: 'errors',
    facts: ['20 × not sent'],
  },
  {
    what: 'a generator at its limit, though the target was slow too',
    step: buildGoodStep({
      k6: { exitCode: 0, cpuShare: 0.85, samples: '' },
      summary: { latency: { p50: 1, p95: 2, p99: 3, max: 4 } },
    }),
    verdict: 'INCONCLUSIVE',
    code: 'generator',
  },
  {
    what: 'fewer requests than planned, as the user ended the step',
    step: buildGoodStep({ cut: true, summary: { offered: 380, answered: 380 } }),
    verdict: 'PASS',
  },
  {
    what: 'executions that were under way when the user ended the step',
    step: buildGoodStep({ cut: true, executions: { accepted: 400, completed: 390, failed: 0, drainSeconds: 10 } }),
    verdict: 'INCONCLUSIVE',
    code: 'count-unreadable',
    facts: ['10 of 400', 'after the run was ended'],
  },
  {
    what: 'a rate above half of what the generator reaches by itself',
    step: buildGoodStep({ k6: { exitCode: 0, cpuShare: 0.1, limit: 39, samples: '' } }),
    verdict: 'INCONCLUSIVE',
    code: 'generator',
    facts: ['20/s', '39/s'],
  },
  {
    what: 'a rate at half of what the generator reaches by itself',
    step: buildGoodStep({ k6: { exitCode: 0, cpuShare: 0.1, limit: 40, samples: '' } }),
    verdict: 'PASS',
  },
  {
    what: 'clients that were answered more often than half of what the generator reaches',
    step: buildGoodStep({ rate: undefined, clients: 8, k6: { exitCode: 0, cpuShare: 0.1, limit: 39, samples: '' } }),
    verdict: 'INCONCLUSIVE',
    code: 'generator',
  },
  {
    what: 'a death beside a generator at its limit',
    step: buildGoodStep({ k6: { exitCode: 0, cpuShare: 0.85, samples: '' }, events: [death] }),
    verdict: 'FAIL',
    code: 'died',
  },
  {
    what: 'a k6 that broke',
    step: buildGoodStep({ k6: { exitCode: 107, message: 'k6 ended with exit code 107', cpuShare: 0.1, samples: '' } }),
    verdict: 'INCONCLUSIVE',
    code: 'k6',
    facts: ['107'],
  },
  {
    what: 'too few samples',
    step: buildGoodStep({ summary: { answered: 12, offered: 12 } }),
    verdict: 'INCONCLUSIVE',
    code: 'too-few-samples',
  },
  {
    what: 'few requests, all of which failed',
    step: buildGoodStep({
      rate: 1,
      measuredTo: 1_013_000,
      executions: { sent: 13, unproved: 0, accepted: 0, completed: 0, failed: 0, drainSeconds: 0 },
      summary: { answered: 0, offered: 13, failed: 13, failures: { 'time-out': 13 }, latency: null },
    }),
    verdict: 'FAIL',
    code: 'errors',
    facts: ['13 of 13'],
  },
  {
    what: 'a count that could not be read',
    step: buildGoodStep({ executions: null }),
    verdict: 'INCONCLUSIVE',
    code: 'count-unreadable',
  },
  {
    what: 'a broken objective whose count could not be read',
    step: buildGoodStep({ executions: null, summary: { latency: { p50: 1, p95: 2, p99: 3, max: 4 } } }),
    verdict: 'FAIL',
    code: 'p95',
  },
  {
    what: 'an autoscaler moved in the step',
    step: buildGoodStep({ events: [inCluster('scaled', 'from 2 to 3 replicas')] }),
    verdict: 'INCONCLUSIVE',
    code: 'scaled',
    facts: ['worker', 'from 2 to 3 replicas'],
  },
  {
    what: 'a node took the pod away, and requests failed',
    step: buildGoodStep({
      summary: { answered: 100, failed: 100, failures: { 'HTTP 503': 100 } },
      events: [inCluster('evicted', 'the node was low on memory')],
    }),
    verdict: 'INCONCLUSIVE',
    code: 'cluster',
  },
  {
    what: 'an autoscaler moved, and executions were lost',
    step: buildGoodStep({ events: [inCluster('scaled', 'from 3 to 2 replicas')], executions: lost }),
    verdict: 'FAIL',
    code: 'completed',
  },
  {
    what: 'a late generator, and memory above 90 % of the limit',
    step: buildGoodStep({ summary: { lagP95: 0.3 }, memory: [memory(0.95)] }),
    verdict: 'FAIL',
    code: 'memory',
  },
  {
    what: 'other processes took the cores, and executions did not end within the drain',
    step: buildGoodStep({ machine: { cores: 2, busyCores: 2, otherCores: 1, takenCores: 1 }, executions: lost }),
    verdict: 'INCONCLUSIVE',
    code: 'other-processes',
  },
  {
    what: 'the clock jumped, and executions seem not to have ended within the drain',
    step: buildGoodStep({ clockJumpSeconds: 3600, executions: lost }),
    verdict: 'INCONCLUSIVE',
    code: 'clock',
    facts: ['3600.0 s'],
  },
  {
    what: 'the clock jumped in a step that seems to hold',
    step: buildGoodStep({ clockJumpSeconds: 0.3 }),
    verdict: 'INCONCLUSIVE',
    code: 'clock',
  },
  {
    what: 'a node took a pod away, and its executions were lost',
    step: buildGoodStep({ events: [inCluster('evicted', 'the node was low on memory')], executions: lost }),
    verdict: 'INCONCLUSIVE',
    code: 'cluster',
  },
  {
    what: 'a rare part of a mix whose answers are all slow',
    step: buildGoodStep({ summary: { parts: mixOf({ answered: 4, failed: 0, slow: { p95: 4 } }) } }),
    verdict: 'FAIL',
    code: 'p95',
    facts: ['memory-hog', '4 of 4'],
  },
  {
    what: 'a rare part of a mix whose requests all fail',
    step: buildGoodStep({ summary: { parts: mixOf({ answered: 0, failed: 4, slow: {} }) } }),
    verdict: 'FAIL',
    code: 'errors',
    facts: ['memory-hog', '4 of 4'],
  },
  {
    what: 'a rare part of a mix that misses an objective by chance or not',
    step: buildGoodStep({ summary: { parts: mixOf({ answered: 19, failed: 0, slow: { p95: 1 } }) } }),
    verdict: 'INCONCLUSIVE',
    code: 'unproven',
    facts: ['memory-hog'],
  },
  {
    what: 'a rare part of a mix that meets what it is too rare to prove',
    step: buildGoodStep({ summary: { parts: mixOf({ answered: 4, failed: 0, slow: {} }) } }),
    verdict: 'PASS',
  },
  {
    what: 'the API server did not answer',
    step: buildGoodStep({ events: [inCluster('unobserved', 'no answer for 10 s')] }),
    verdict: 'INCONCLUSIVE',
    code: 'cluster',
  },
  {
    what: 'memory that was not measured in a short step',
    step: buildGoodStep({ memoryUnmeasured: ['main'] }),
    verdict: 'INCONCLUSIVE',
    code: 'unproven',
    facts: ['main'],
  },
  {
    what: 'drops while k6 made clients for a quick target',
    step: buildGoodStep({ summary: { dropped: 3 } }),
    verdict: 'INCONCLUSIVE',
    code: 'generator',
  },
];

test.each(cases)('$what: $verdict', ({ step, verdict, code, facts = [] }) => {
  const judged = judgeStep(step, slo);
  expect(judged.verdict).toBe(verdict);
  if (code) expect(judged.reasons.map((r) => r.code)).toContain(code);
  else expect(judged.reasons).toEqual([]);
  const text = judged.reasons.map((r) => r.text).join('; ');
  for (const fact of facts) expect(text).toContain(fact);
});

test.each([0, 1, 10, 100])(
  '%i dropped requests are PASS only when there are none, however quick the rest was',
  (dropped) => {
    for (const max of [0.3, 2.1, 60]) {
      const latency = { p50: 0.05, p95: 0.12, p99: 0.2, max };
      const { verdict } = judgeStep(buildGoodStep({ summary: { dropped, offered: 400 + dropped, latency } }), slo);
      expect(verdict === 'PASS').toBe(dropped === 0);
    }
  },
);

test.each([
  ["n8n's count was read too seldom to judge a backlog", buildGoodStep({ backlog: [{ at: 1, executions: 0 }] })],
  ['the memory of main, which has a limit', buildGoodStep({ memoryUnseen: ['main'] })],
  [
    'whether lost executions are hidden by those of requests that timed out',
    buildGoodStep({
      executions: { sent: 443, unproved: 3, accepted: 440, completed: 440, failed: 0, drainSeconds: 0.1 },
    }),
  ],
  ["k6's CPU could not be read", buildGoodStep({ k6: { exitCode: 0, cpuShare: null, samples: '' } })],
])('what was not seen is not assumed: %s', (_, step) => {
  expect(judgeStep(step, slo)).toMatchObject({ verdict: 'INCONCLUSIVE', reasons: [{ code: 'count-unreadable' }] });
});

test.each<[InstanceEvent['component'], string, Verdict]>([
  ['webhook', 'from 3 to 2 replicas', 'INCONCLUSIVE'],
  ['webhook', 'from 2 to 3 replicas', 'FAIL'],
  ['worker', 'from 3 to 2 replicas', 'FAIL'],
])('executions are missing, and %s was scaled %s: %s', (component, detail, verdict) => {
  const step = buildGoodStep({ executions: lost, events: [{ ...inCluster('scaled', detail), component }] });
  expect(judgeStep(step, slo).verdict).toBe(verdict);
});

test('requests that timed out hide no loss where their executions ended, too', () => {
  const executions = { sent: 443, unproved: 3, accepted: 440, completed: 443, failed: 0, drainSeconds: 0.1 };
  expect(judgeStep(buildGoodStep({ executions }), slo).verdict).toBe('PASS');
});

test('claims no error rate that the sample cannot support', () => {
  const judged = judgeStep(buildGoodStep(), slo);
  expect(judged.errorRate).toBe(0);
  expect(judged.errorRateUpperBound).toBeCloseTo(0.0075, 3);
});

describe('a step that k6 ended early', () => {
  test('has failed what it did not meet then, though so few requests prove nothing, and k6 did not record them all', () => {
    const { summary, executions, ...step } = buildGoodStep({ aborted: true });
    const few = { ...summary, offered: 30, answered: 30, slow: { p95: 3 } };
    const more = { ...executions!, completed: executions!.sent! + 5 };
    const judged = (aborted?: true) => judgeStep({ ...step, aborted, summary: few, executions: more }, slo);
    expect(judged(true)).toMatchObject({ verdict: 'FAIL', reasons: [{ code: 'p95', clear: true }] });
    expect(judged().verdict).toBe('INCONCLUSIVE');
  });

  const early = (answered: number, failed: number): StepRecord => {
    const step = buildGoodStep();
    const summary = { ...step.summary, offered: answered + failed, answered, failed, failures: { 'HTTP 500': failed } };
    return { ...step, summary, aborted: true };
  };

  test('is a FAIL when its few requests show that the objective is missed', () =>
    expect(judgeStep(early(0, 8), slo)).toMatchObject({ verdict: 'FAIL', reasons: [{ code: 'errors', clear: true }] }));

  test('is INCONCLUSIVE when chance may have done it', () =>
    expect(judgeStep(early(7, 1), slo)).toMatchObject({
      verdict: 'INCONCLUSIVE',
      reasons: [{ code: 'too-few-samples' }],
    }));
});
