import type { Side, UpgradeRecord, UpgradeTrial } from '../../../../capacity/src/features/upgrade/record.js';
import { seededRandom } from '../../../../capacity/src/stats/random.js';
import { openTrials, type PlannedTrial } from '../../../../capacity/src/features/upgrade/schedule.js';
import { buildPassingRun } from '../../support/index.js';

/** A comparison of two versions. */
export const upgradeRecord = (changes: Partial<UpgradeRecord> = {}): UpgradeRecord => ({
  tool: 'n8n-capacity upgrade',
  startedAt: '2026-11-20T10:15:00.000Z',
  provisioner: 'process',
  from: '2.34.0',
  to: '2.41.1',
  plan: { ...buildPassingRun().run.plan, rates: { kind: 'closed', clients: 20 } },
  pairs: 3,
  executions: 2000,
  environment: [{ component: 'main', name: 'N8N_EXPRESSION_ENGINE', to: 'vm' }],
  ...changes,
});

/** By which factors the new version of a simulated n8n differs; `dies` names a version that does not work. */
export interface Truth {
  throughput?: number;
  p95?: number;
  memory?: number;
  start?: number;
  dies?: Side;
  noise?: number;
}

/** All trials of two versions whose truth is known; the machine becomes 10 % slower meanwhile. */
export function simulate(record: UpgradeRecord, truth: Truth, seed = 1): UpgradeTrial[] {
  const random = seededRandom(seed);
  const trials: UpgradeTrial[] = [];
  const measured = ({ stage, side, rate }: PlannedTrial): UpgradeTrial => {
    const base = { index: trials.length, stage, side, ...(rate !== undefined && { rate }), tookSeconds: 45 };
    if (truth.dies === side) return { ...base, failed: 'main is not ready after 180 s' };
    const times = (factor = 1) => (side === 'to' ? factor : 1) * Math.exp((truth.noise ?? 0.01) * random.normal());
    return {
      ...base,
      perSecond: rate ?? 60 * times(truth.throughput) * (1 - 0.008 * trials.length),
      p95: 0.1 * times(truth.p95),
      memoryBytes: 2 ** 29 * times(truth.memory),
      startSeconds: 6 * times(truth.start),
    };
  };
  for (let [next] = openTrials(record, trials); next; [next] = openTrials(record, trials)) trials.push(measured(next));
  return trials;
}
