import { formatNumber } from '../../core/formats.js';
import type { RunRecord } from '../../model/run.js';
import type { Arranged } from './arrange.js';
import { frontOf, runnerOf } from './arrangement.js';
import type { LoadProfile } from './profile.js';
import { lineValueAt } from '../../stats/linear.js';

/** Factor between the rates below which the use without load and the cost of an execution are hard to separate. */
const NARROW_FACTOR = 2;
/** Multiple of the highest tested rate above which a limit that no step has reached may matter. */
const FAR_FACTOR = 3;

/** Doubts about the forecast that the record cannot settle, each a sentence with its full stop. */
export function listUnknowns(
  profile: LoadProfile,
  { deployment }: Pick<RunRecord, 'deployment'>,
  rate: number,
  arranged: Arranged,
): string[] {
  const { costs, serial, recorded, steps } = profile;
  const told: string[] = [];
  if (rate > FAR_FACTOR * costs.most)
    told.push(
      `The highest rate below the limit was ${formatNumber(costs.most)}/s; a limit that only shows at ${formatNumber(rate / costs.most)} times that is not in this forecast.`,
    );
  const least = Math.min(...steps.map((s) => s.rate));
  if (costs.most < NARROW_FACTOR * least)
    told.push(
      `All steps were between ${formatNumber(least)}/s and ${formatNumber(costs.most)}/s, too narrow to separate the cost of an execution from idle use; record steps from a tenth to a half of the capacity with --rates.`,
    );
  const bounded = [...serial].filter(([c, s]) => s.source === 'bounded' && c !== 'postgresql').map(([c]) => c);
  if (bounded.length > 0)
    told.push(
      `CPU time per thread was not recorded; the forecast assumes that the main thread uses all CPU time of ${bounded.join(' and ')}, or the latency of an idle n8n if that is less.`,
    );
  if (recorded.poolSize !== undefined) told.push(...poolDoubts(profile, recorded.poolSize));
  if (deployment.database === 'postgresdb') told.push(...postgresDoubts(profile, rate, arranged));
  const runner = runnerOf(recorded);
  if (!('impossible' in arranged)) {
    const from = recorded.components.get(runner)!.replicas;
    const to = arranged.arrangement.components.get(runner)!.replicas;
    if (to > from)
      told.push(
        `The forecast assumes that each of ${to} ${runner}s does as much as each of ${from}; a sweep over worker.replicas measures whether they slow each other down.`,
      );
  }
  const unlimited = deployment.instances.filter(({ limits }) => limits.cpuMillis === undefined);
  if (unlimited.length > 0)
    told.push(
      `Without a CPU limit, the cores of ${[...new Set(unlimited.map(({ component }) => component))].join(' and ')} are not in the totals or the cost.`,
    );
  return [...told, ...memoryDoubts(profile, arranged)];
}

/** Doubts about memory. More executions under way take more memory, in regular mode all of it in main. */
function memoryDoubts({ costs, recorded, steps }: LoadProfile, arranged: Arranged): string[] {
  const holding = [...new Set([frontOf(recorded), runnerOf(recorded)])];
  const unseen = holding.filter((c) => costs.components.get(c)?.memory === undefined);
  const uncertain = holding.filter((component) => {
    const memory = costs.components.get(component)?.memory;
    if (!memory || 'impossible' in arranged || arranged.prediction.inFlight === undefined) return false;
    const seen = Math.max(...steps.map((s) => s.inFlight)) / recorded.components.get(component)!.replicas;
    const needed = arranged.prediction.inFlight / arranged.arrangement.components.get(component)!.replicas;
    return needed > seen && memory.slope <= (memory.slopeError ?? 0);
  });
  return [
    ...unseen.map(
      (c) => `The memory of ${c} for an execution in flight was not recorded; its limit is that of the record.`,
    ),
    ...uncertain.map(
      (c) =>
        `The memory of ${c} that an execution in flight takes is within its error, and more are in flight than in any step; its limit may be too low. Run validate with these values.`,
    ),
  ];
}

function poolDoubts({ steps }: LoadProfile, poolSize: number): string[] {
  const seen = steps.flatMap((s) => s.connections ?? []);
  if (seen.length === 0)
    return ['Connections to PostgreSQL were not recorded; the size of the pool is that of the record.'];
  if (seen.some((s) => s.waited)) return [];
  const most = Math.max(...seen.map((s) => s.most));
  return [
    `The pool of connections was never stressed: at most ${most} of ${poolSize} were in use. How n8n behaves when requests wait for one is not in this forecast.`,
  ];
}

function postgresDoubts({ costs }: LoadProfile, rate: number, arranged: Arranged): string[] {
  const cost = costs.components.get('postgresql');
  if (!cost) return ['PostgreSQL runs elsewhere; its CPU, memory and disks are not in this forecast.'];
  if ('impossible' in arranged) return [];
  const memory = 'PostgreSQL keeps the memory of the record; the memory of more connections is not in this forecast.';
  const [seen, needed] = [costs.most, rate].map((r) => lineValueAt(cost.cpu, r)) as [number, number];
  return needed <= FAR_FACTOR * seen
    ? [memory]
    : [
        memory,
        `PostgreSQL used up to ${formatNumber(seen)} cores and would need ${formatNumber(needed)}; locks and disks at that rate are not in this forecast.`,
      ];
}
