import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { buildLoad, buildPlan, buildRunRecord } from './runs.js';
import { buildGoodStep } from './steps.js';

/** A search for the payload limit with 1 and 4 clients. n8n is killed at 600 MiB with one client, and at 200 MiB each with four. */
export function buildPayloadRun(): RecordedRun {
  const tries: [clients: number, payloadMiB: number, survives: boolean][] = [
    [1, 16, true],
    [1, 600, false],
    [1, 500, true],
    [1, 584, true],
    [4, 16, true],
    [4, 200, false],
    [4, 190, true],
  ];
  const steps = tries.map(([clients, payloadMiB, survives], index) => {
    const measuredFrom = 1_000_000 + index * 15_000;
    const events = survives
      ? []
      : [
          {
            at: measuredFrom + 5000,
            instance: 'main-0',
            component: 'main' as const,
            kind: 'died' as const,
            reason: 'OOMKilled' as const,
            detail: 'signal SIGKILL',
          },
        ];
    const { rate: _, ...step } = buildGoodStep({
      load: 'memory-hog',
      index,
      clients,
      payloadMiB,
      measuredFrom,
      events,
    });
    return step;
  });
  const samples = Array.from({ length: steps.length * 15 }, (_, second) => ({
    at: 1_000_000 + second * 1000,
    instances: [
      {
        name: 'main-0',
        rssBytes: (400 + (second % 15) * 40) * 2 ** 20,
        cpuSeconds: second * 0.4,
        processes: 1,
        heapUsedBytes: (200 + (second % 15) * 30) * 2 ** 20,
      },
    ],
  }));
  const rates = { kind: 'payload-limit' as const, concurrency: [1, 4], minMiB: 16, maxMiB: 1024 };
  const run = buildRunRecord({
    tool: 'n8n-capacity payload-limit',
    plan: buildPlan({ rates, loads: [buildLoad('memory-hog', 1)] }),
  });
  return { folder: 'results/payload', run, steps, samples, events: steps.flatMap((s) => s.events), rows: [] };
}
