import type { Sample } from '../../../capacity/src/model/sample.js';
import type { Drift } from '../../../capacity/src/model/reports.js';
import fc from 'fast-check';
import { judgeDrift, type Soak } from '../../../capacity/src/judge/drift/judge.js';
import { seededRandom } from '../../../capacity/src/stats/random.js';
import { buildGoodStep, regularDeployment } from '../support/index.js';

const MIB = 2 ** 20;
const FROM = 1_000_000;

/** A value at so many hours into the soak. */
type Curve = (hours: number) => number;

interface Curves {
  hours?: number;
  rss?: Curve;
  heap?: Curve;
  p50?: Curve;
  /** Share of the answers above the p95 objective, and of failed requests. */
  slow?: Curve;
  failed?: Curve;
  /** Share of the executions that fail after their answer. */
  failedLater?: Curve;
  seed?: number;
  cpu?: Curve;
  backlog?: Curve;
  rows?: Curve;
  workingSet?: Curve;
  horizonHours?: number;
}

/** A soak of one main with 2 GiB, looked at every 5 s. */
function soak({
  hours = 2,
  rss = () => 700 * MIB,
  heap,
  p50 = () => 0.05,
  cpu = (h) => 3600 * h,
  ...curves
}: Curves): Soak {
  const { rows, backlog, workingSet, slow, failed, failedLater, seed = 1, horizonHours = 7 * 24 } = curves;
  const looks = Array.from({ length: hours * 720 + 1 }, (_, i) => i / 720);
  const sample = (h: number): Sample => ({
    at: FROM + h * 3_600_000,
    instances: [
      {
        name: 'main-0',
        rssBytes: rss(h),
        cpuSeconds: cpu(h),
        processes: 2,
        ...(heap && { heapUsedBytes: heap(h) }),
        ...(workingSet && { workingSetBytes: workingSet(h) }),
      },
    ],
  });
  const random = seededRandom(seed);
  const chosen = (of: number, share = 0) =>
    Array.from({ length: of }, () => random.uniform() < share).filter(Boolean).length;
  const seconds = looks.map((h) => {
    const lost = chosen(20, failed?.(h));
    const late = slow && { slow: { p95: chosen(20 - lost, slow(h)) } };
    return { at: h * 3600, sent: 20, answered: 20 - lost, failed: lost, p50: p50(h), ...late };
  });
  let [succeeded, lost] = [0, 0];
  const ended = failedLater
    ? looks.map((h) => {
        const failed = chosen(20, failedLater(h));
        [succeeded, lost] = [succeeded + 20 - failed, lost + failed];
        return { at: h * 3600, executions: 0, succeeded, failed: lost };
      })
    : [];
  return {
    deployment: regularDeployment(),
    steps: [
      buildGoodStep({
        measuredFrom: FROM,
        measuredTo: FROM + hours * 3_600_000,
        summary: { seconds },
        backlog: backlog ? looks.map((h) => ({ at: h * 3600, executions: Math.round(backlog(h)) })) : ended,
      }),
    ],
    slo: { p95: 0.8, errors: 0.01 },
    drainSeconds: 30,
    horizonSeconds: horizonHours * 3600,
    samples: looks.map(sample),
    ...(rows && {
      tables: [
        {
          table: 'execution_entity',
          insertedPerHour: 72_000,
          rows: looks.map((h) => ({ at: FROM + h * 3_600_000, count: rows(h) })),
        },
      ],
    }),
  };
}

const drift = (of: Drift['of'], curves: Curves) => judgeDrift(soak(curves)).drifts.find((d) => d.of === of)!;
const noisy = (seed: number, deviation: number) => {
  const random = seededRandom(seed);
  return () => deviation * random.normal();
};
/** Rises from 0 to 1 in so many minutes, and falls back at once. */
const sawtooth = (minutes: number) => (hours: number) => ((hours * 60) / minutes) % 1;

const memoryCases: [string, Curves, Drift['verdict']][] = [
  ['a level', {}, 'stable'],
  ['a sawtooth of collections', { rss: (h) => (500 + 400 * sawtooth(1.3)(h)) * MIB }, 'stable'],
  ['a sawtooth with two teeth in all', { rss: (h) => (500 + 400 * sawtooth(45)(h)) * MIB }, 'unproven'],
  ['caches that fill and are full', { rss: (h) => (900 - 400 * Math.exp(-h / 0.1)) * MIB }, 'stable'],
  ['caches that still fill', { rss: (h) => (900 - 400 * Math.exp(-h / 0.5)) * MIB }, 'unproven'],
  ['memory that is given back', { rss: (h) => (900 - 50 * h) * MIB }, 'stable'],
  ['growth that reaches nothing in a week', { hours: 24, rss: (h) => (700 + h) * MIB }, 'stable'],
  ['the same for 60 days', { hours: 24, rss: (h) => (700 + h) * MIB, horizonHours: 60 * 24 }, 'drifts'],
  ['a leak', { rss: (h) => (700 + 60 * h) * MIB }, 'drifts'],
  ['the same for half a day', { rss: (h) => (700 + 60 * h) * MIB, horizonHours: 12 }, 'stable'],
  ['a leak under a sawtooth', { rss: (h) => (500 + 60 * h + 400 * sawtooth(1.3)(h)) * MIB }, 'drifts'],
  ['a leak under a slow sawtooth', { rss: (h) => (500 + 200 * h + 100 * sawtooth(7)(h)) * MIB }, 'drifts'],
  ['ten minutes', { hours: 1 / 6, rss: (h) => (700 + 60 * h) * MIB }, 'too-short'],
  ['file cache that the kernel can take back', { rss: (h) => (700 + 60 * h) * MIB, workingSet: () => 7e8 }, 'stable'],
  ['more than 90 % of the limit', { workingSet: () => 1900 * MIB }, 'drifts'],
];

test.each(memoryCases)('memory: %s', (_, curves, verdict) => {
  expect(drift('memory', curves)).toMatchObject({ name: 'main-0', verdict });
});

test('a leak has its rate and the time until 90 % of the limit of 2048 MiB', () => {
  const { perHour, low, hoursToLimit, provedHours, name, text } = drift('memory', { rss: (h) => (700 + 60 * h) * MIB });
  expect(perHour / MIB).toBeCloseTo(60, 6);
  expect(low! / MIB).toBeCloseTo(60, 6);
  expect(hoursToLimit).toBeCloseTo((0.9 * 2048 - 820) / 60, 1);
  expect(provedHours).toBeCloseTo(hoursToLimit!, 6);
  expect(name).toBe('main-0');
  for (const fact of ['main-0', '60 MiB', '1843 MiB', '17.1 h']) expect(text).toContain(fact);
});

test.each<[string, Curves, Drift['verdict']]>([
  ['that stays level', {}, 'stable'],
  [
    'under a slow sawtooth, which hides whether it grows',
    { hours: 1, rss: (h) => (500 + 180 * h + 200 * sawtooth(15)(h)) * MIB },
    'unproven',
  ],
  ['that grows', { rss: (h) => (700 + 60 * h) * MIB }, 'drifts'],
])('memory without a limit %s', (_, curves, verdict) => {
  const recorded = soak(curves);
  const instances = recorded.deployment.instances.map((instance) => ({ ...instance, limits: {} }));
  const { drifts } = judgeDrift({ ...recorded, deployment: { ...recorded.deployment, instances } });
  expect(drifts.find(({ of }) => of === 'memory')).toMatchObject({ verdict });
});

test('each container of a pod with several grows towards its own limit', () => {
  const recorded = soak({});
  const samples = recorded.samples.map((sample, i) => ({
    ...sample,
    instances: sample.instances.map((main) => ({
      ...main,
      containers: [
        { name: 'n8n', workingSetBytes: 500 * MIB, limitBytes: 1024 * MIB },
        // 60 MiB an hour from 280 MiB on, as looks are 5 s apart: 90 % of 512 MiB is near.
        { name: 'runner', workingSetBytes: (280 + i / 12) * MIB, limitBytes: 512 * MIB },
      ],
    })),
  }));
  const { drifts } = judgeDrift({ ...recorded, samples });
  expect(drifts.filter(({ of }) => of === 'memory').map(({ verdict }) => verdict)).toEqual(['stable', 'drifts']);
});

test('what is unproven says what is proved, and how long a soak would have to be', () => {
  const noise = noisy(3, 30);
  const { verdict, provedHours, text } = drift('memory', { rss: () => (700 + noise()) * MIB, horizonHours: 365 * 24 });
  expect(verdict).toBe('unproven');
  expect(provedHours).toBeGreaterThan(24);
  expect(provedHours).toBeLessThan(365 * 24);
  expect(text).toMatch(
    /may reach 1843 MiB, 90 % of its limit, within 365 d: .*; proved for .*; for 365 d use a soak of at least .* [hd],/,
  );
});

test('the peak, not the envelope, meets the limit; of the heap, what is alive in it', () => {
  const saw = (h: number) => (500 + 60 * h + 400 * sawtooth(1.3)(h)) * MIB;
  expect(drift('memory', { rss: saw }).hoursToLimit).toBeCloseTo((0.9 * 2048 - 620 - 400) / 60, 0);
  expect(drift('heap', { heap: (h) => (300 + 60 * h) * MIB })).toMatchObject({ verdict: 'drifts' });
  // Of the heap what it holds at the end.
  expect(drift('heap', { heap: (h) => (300 + 60 * h) * MIB }).hoursToLimit).toBeCloseTo((0.9 * 1051 - 420) / 60, 0);
});

test.each([
  [12, 12, 40],
  [24, 24, 15],
  [72, 24, 10],
])('a heap that grows for %d h is not called stable for %d h longer than it lasts', (hours, horizonHours, perHour) => {
  const limit = 0.9 * 1051;
  // Three quarters of the horizon are left at the end.
  const atEnd = limit - 0.75 * horizonHours * perHour;
  const heap: Curve = (h) => (atEnd + perHour * (h - hours)) * MIB;
  const { verdict, provedHours } = drift('heap', { hours, horizonHours, heap });
  expect(verdict).not.toBe('stable');
  expect(provedHours).toBeLessThanOrEqual(0.76 * horizonHours);
});

test('a look that nobody answered is no restart', () => {
  const whole = soak({ hours: 2 });
  const missed = whole.samples.map((sample, i) => {
    const unseen = { name: 'main-0', rssBytes: 0, cpuSeconds: 0, processes: 0 };
    return i === Math.round(0.9 * whole.samples.length) ? { ...sample, instances: [unseen] } : sample;
  });
  expect(judgeDrift({ ...whole, samples: missed })).toEqual(judgeDrift(whole));
});

test.each([
  ['in its middle', 0.5, 0.7],
  ['from its second half on', 0.55, 1.1],
])('memory that could not be read in a part of the soak is not known to stay: %s', (_, from, to) => {
  const whole = soak({ hours: 2 });
  const gap = (i: number) => i > from * whole.samples.length && i < to * whole.samples.length;
  const samples = whole.samples.map((sample, i) => (gap(i) ? { ...sample, instances: [] } : sample));
  const found = judgeDrift({ ...whole, samples });
  expect(found.verdict).toBe('too-short');
  expect(found.drifts.find((d) => d.of === 'memory')!.text).toMatch(/could not be read for \d+ min in a row/);
});

test('a heap that is not read to the end of the soak is not known to stay, though its memory is', () => {
  const whole = soak({ hours: 2, heap: () => 400 * MIB });
  const samples = whole.samples.map((sample, i) => {
    const [{ heapUsedBytes: _, ...unread }] = sample.instances as [Sample['instances'][number]];
    return i > 0.55 * whole.samples.length ? { ...sample, instances: [unread] } : sample;
  });
  const found = judgeDrift({ ...whole, samples });
  const driftOf = (of: Drift['of']) => found.drifts.find((d) => d.of === of);
  expect(found.verdict).toBe('too-short');
  expect(driftOf('memory')).toMatchObject({ verdict: 'stable' });
  expect(driftOf('heap')).toMatchObject({
    verdict: 'too-short',
    text: expect.stringMatching(/heap could not be read for \d+ min in a row/) as string,
  });
  expect(judgeDrift(whole).verdict).toBe('stable');
});

test('a restart begins anew: what fills up after it is no leak', () => {
  const restarted: Curves = {
    cpu: (h) => 3600 * (h < 0.5 ? h : h - 0.5) + 1,
    rss: (h) => (h < 0.5 ? 900 : 800 - 400 * Math.exp(-(h - 0.5) / 0.08)) * MIB,
  };
  expect(drift('memory', restarted).verdict).not.toBe('drifts');
  const late: Curves = { cpu: (h) => 3600 * (h < 1.6 ? h : h - 1.6) + 1 };
  expect(drift('memory', late)).toMatchObject({ verdict: 'too-short', text: expect.stringContaining('restart') });
});

test('noise alone is rarely called a leak, and a leak in noise rarely missed', () => {
  const verdicts = (curve: (seed: number) => Curve) =>
    Array.from({ length: 30 }, (_, seed) => drift('memory', { rss: curve(seed + 1) }).verdict);
  const flat = verdicts((seed) => {
    const noise = noisy(seed, 30);
    return () => (700 + noise()) * MIB;
  });
  expect(flat.filter((v) => v === 'drifts').length).toBeLessThanOrEqual(1);
  const leaking = verdicts((seed) => {
    const noise = noisy(seed, 30);
    return (h) => (700 + 60 * h + noise()) * MIB;
  });
  expect(leaking.filter((v) => v === 'drifts').length).toBeGreaterThanOrEqual(28);
});

describe('the tail', () => {
  const found = (curves: Curves) => judgeDrift(soak(curves)).drifts.filter((d) => d.of === 'slow' || d.of === 'errors');

  test.each<[string, Curves]>([
    ['slow answers, 3 % of all and 6 % at the end', { slow: (h) => 0.03 * h }],
    ['slow answers that begin late', { slow: (h) => (h > 1.6 ? 0.12 : 0) }],
    ['failed requests, 0.9 % of all and 1.8 % at the end', { failed: (h) => 0.009 * h }],
    ['executions that fail after their answer, late', { failedLater: (h) => (h > 1.5 ? 0.02 : 0) }],
    ['slow answers that break the objective within the week', { hours: 6, slow: (h) => 0.004 * h }],
  ])('%s', (_, curves) => {
    expect(found(curves)).toMatchObject([
      { of: curves.slow ? 'slow' : 'errors', name: 'webhook-ack', verdict: 'drifts' },
    ]);
    expect(judgeDrift(soak(curves)).verdict).toBe('drifts');
  });

  test('a share that stays is rarely called a drift', () => {
    const flat = Array.from({ length: 20 }, (_, seed) =>
      found({ slow: () => 0.03, failed: () => 0.005, seed: seed + 1 }),
    );
    expect(flat.filter((drifts) => drifts.length > 0).length).toBeLessThanOrEqual(1);
  });
});

describe('latency', () => {
  test.each<[string, Curve, Drift['verdict']]>([
    [
      'a level with scatter',
      (() => {
        const noise = noisy(1, 0.004);
        return () => 0.05 + noise();
      })(),
      'stable',
    ],
    ['growth of microseconds', (h) => 0.002 + 0.001 * h, 'stable'],
    ['growth', (h) => 0.05 + 0.02 * h, 'drifts'],
    ['one slow minute', (h) => (Math.floor(h * 60) === 100 ? 2 : 0.05), 'stable'],
    ['growth that stays far below the objective', (h) => 0.05 + 0.002 * h, 'stable'],
  ])('%s', (_, p50, verdict) => {
    expect(drift('latency', { p50 })).toMatchObject({ name: 'webhook-ack', verdict });
  });

  test('has its rate in seconds an hour', () => {
    const { perHour, text, hoursToLimit } = drift('latency', { p50: (h) => 0.05 + 0.02 * h });
    expect(hoursToLimit).toBeCloseTo((0.8 - 0.09) / 0.02, 0);
    expect(perHour).toBeCloseTo(0.02, 6);
    expect(text).toContain('20 ms');
  });
});

describe('backlog', () => {
  test.each<[string, Curve, Drift['verdict']]>([
    ['none', () => 0, 'stable'],
    ['a level with scatter', (h) => 20 + 5 * Math.sin(1000 * h), 'stable'],
    ['growth that no drain ends in a week', (h) => 5 + 20 * h, 'drifts'],
  ])('%s', (_, backlog, verdict) => {
    expect(drift('backlog', { backlog })).toMatchObject({ name: 'webhook-ack', verdict });
  });
});

describe('rows', () => {
  test('that nothing prunes grow', () => {
    const found = drift('rows', { rows: (h) => 72_000 * h });
    expect(found).toMatchObject({ name: 'execution_entity', verdict: 'drifts' });
    expect(found.prunedPerHour).toBeCloseTo(0, 3);
    expect(found.perHour).toBeCloseTo(72_000, 3);
    expect(found.text).toContain('72000');
  });

  test('that are pruned as fast as they come do not', () => {
    const found = drift('rows', { rows: (h) => 10_000 + 18_000 * sawtooth(15)(h) });
    expect(found.verdict).toBe('stable');
    expect(found.prunedPerHour! / 72_000).toBeCloseTo(1, 1);
  });
});

test('the worst decides; what was not measured is not called stable', () => {
  expect(judgeDrift(soak({})).verdict).toBe('stable');
  expect(judgeDrift(soak({ p50: (h) => 0.05 + 0.02 * h })).verdict).toBe('drifts');
  expect(judgeDrift({ ...soak({}), samples: [], steps: [] })).toEqual({ verdict: 'too-short', drifts: [] });
});

test('the unit of memory changes no verdict, and a later start none either', () => {
  const curve = fc.record({ level: fc.integer({ min: 100, max: 1500 }), slope: fc.integer({ min: -100, max: 100 }) });
  fc.assert(
    fc.property(curve, fc.integer({ min: 0, max: 10 ** 12 }), ({ level, slope }, later) => {
      const run = soak({ hours: 1, rss: (h) => (level + slope * h) * MIB });
      const moved: Soak = {
        ...run,
        steps: run.steps.map((s) => ({ ...s, measuredFrom: s.measuredFrom + later, measuredTo: s.measuredTo + later })),
        samples: run.samples.map((s) => ({ ...s, at: s.at + later })),
      };
      expect(judgeDrift(moved).drifts.map((d) => d.verdict)).toEqual(judgeDrift(run).drifts.map((d) => d.verdict));
    }),
    { numRuns: 20 },
  );
});

test('an instance whose memory was never read is not called stable', () => {
  const judged = soak({});
  const worker = { ...regularDeployment().instances[0]!, name: 'worker-1', component: 'worker' as const };
  const deployment = { ...judged.deployment, instances: [...judged.deployment.instances, worker] };
  expect(judgeDrift({ ...judged, deployment })).toMatchObject({
    verdict: 'too-short',
    drifts: expect.arrayContaining([expect.objectContaining({ name: 'worker-1' })]),
  });
  // An autoscaler takes pods away.
  const autoscalers = [{ component: 'worker' as const, kind: 'hpa' as const, min: 1, max: 3 }];
  expect(judgeDrift({ ...judged, deployment: { ...deployment, autoscalers } as never }).verdict).toBe('stable');
});
