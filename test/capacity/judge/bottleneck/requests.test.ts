import { findBottleneck } from '../../../../capacity/src/judge/bottleneck/find.js';
import type { AdmissionLook, Sample } from '../../../../capacity/src/model/sample.js';
import { firstChangeFor } from '../../../../capacity/src/recommend/first-change.js';
import { judgeStep } from '../../../../capacity/src/judge/step.js';
import { buildGoodStep, regularDeployment } from '../../support/index.js';

const deployment = regularDeployment({
  instances: [{ name: 'main-0', component: 'main', limits: { cpuMillis: 2000 } }],
});

/** One sample a second of the step, in which main used so many cores. */
const samples = (cores: number, look: (second: number) => AdmissionLook): Sample[] =>
  Array.from({ length: 11 }, (_, i) => ({
    at: 1_000_000 + i * 1000,
    instances: [
      {
        name: 'main-0',
        rssBytes: 1,
        cpuSeconds: cores * i,
        threadCpuSeconds: cores * i,
        processes: 1,
        admission: look(i),
      },
    ],
  }));

const first = (window: Sample[]) => findBottleneck(deployment, [buildGoodStep()], window).candidates[0];

test('requests that wait for a place are what limits an idle n8n', () => {
  const window = samples(0.2, (i) => ({ underWay: 51, waiting: 20, limit: 51, refused: 3 * i }));
  expect(first(window)).toMatchObject({ limit: 'requests', component: 'main', reached: true, share: 1 });
  const load = { load: 'webhook-wait', verdict: 'FAIL' as const, conclusion: '' };
  const step = buildGoodStep({ summary: { failed: 50 } });
  const steps = [{ step, judged: judgeStep(step, { p95: 1, errors: 0.01 }) }];
  expect(firstChangeFor(deployment, { ...load, steps }, window)?.value).toBe('overload.maxRequests');
});

test('requests that were refused between two looks count', () =>
  expect(first(samples(0.2, (i) => ({ underWay: 51, waiting: 0, limit: 51, refused: i })))).toMatchObject({
    limit: 'requests',
    reached: true,
  }));

test('in front of a busy process they are no limit of their own', () =>
  expect(first(samples(1, () => ({ underWay: 51, waiting: 20, limit: 51, refused: 0 })))!.limit).toBe('thread'));

test('refusals of an earlier load do not count', () =>
  expect(
    findBottleneck(
      deployment,
      [buildGoodStep()],
      samples(0.2, () => ({ underWay: 3, waiting: 0, limit: 51, refused: 80 })),
    ).candidates.find((c) => c.limit === 'requests')!.reached,
  ).toBe(false));
