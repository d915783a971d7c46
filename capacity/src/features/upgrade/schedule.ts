import { SIDES, type Side, type UpgradeRecord, type UpgradeTrial } from './record.js';
import { latencyRate as rateOf } from '../trial/latency.js';

/** A trial that is to be measured. */
export interface PlannedTrial {
  stage: UpgradeTrial['stage'];
  side: Side;
  /** Arrivals per second; undefined for the throughput. */
  rate?: number;
}

/** Both versions by turns, as in `from, to, to, from, …`: a machine that becomes slower slows both. */
const alternateSides = (pairs: number): Side[] =>
  Array.from({ length: pairs }, (_, i): Side[] => (i % 2 === 0 ? ['from', 'to'] : ['to', 'from'])).flat();

/**
 * The trials that are not measured yet: first the throughput, then the latency at one rate. None if a version failed twice: it
 * does not work, and further trials would add nothing.
 */
export function openTrials({ pairs }: Pick<UpgradeRecord, 'pairs'>, trials: UpgradeTrial[]): PlannedTrial[] {
  if (findRepeatedFailure(trials) !== undefined) return [];
  const left = (stage: PlannedTrial['stage']) =>
    trials
      .filter((t) => t.stage === stage)
      .reduce((sides, { side }) => removeFirst(sides, side), alternateSides(pairs));
  const throughput = left('throughput').map((side): PlannedTrial => ({ stage: 'throughput', side }));
  const rate = latencyRate(trials);
  // The common rate is only known once both versions have a throughput.
  const isPossible = rate !== undefined || throughput.length > 0;
  const latency = isPossible ? left('latency') : [];
  return [...throughput, ...latency.map((side): PlannedTrial => ({ stage: 'latency', side, ...(rate && { rate }) }))];
}

/** The sides without the first occurrence of one. */
function removeFirst(sides: Side[], side: Side): Side[] {
  const first = sides.indexOf(side);
  return sides.filter((_, i) => i !== first);
}

/** The second failed trial of a version; undefined if no version failed twice. */
export function findRepeatedFailure(trials: UpgradeTrial[]): UpgradeTrial | undefined {
  const failed = trials.filter((t) => t.failed !== undefined);
  return failed.find((t, i) => failed.findIndex((other) => other.side === t.side) < i);
}

/** The arrival rate at which latencies are compared; undefined until both versions have a throughput. */
export function latencyRate(trials: UpgradeTrial[]): number | undefined {
  const [asked] = trials.flatMap((t) => t.rate ?? []);
  if (asked !== undefined) return asked;
  return rateOf(
    SIDES.map((side) =>
      trials.filter((t) => t.stage === 'throughput' && t.side === side).flatMap((t) => t.perSecond ?? []),
    ),
  );
}
