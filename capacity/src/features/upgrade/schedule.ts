import { SIDES, type Side, type UpgradeRecord, type UpgradeTrial } from './record.js';
import { latencyRate as rateOf } from '../trial/latency.js';

/** A trial that is to be measured. */
export interface Planned {
  stage: UpgradeTrial['stage'];
  side: Side;
  /** Arrivals per second; undefined for the throughput. */
  rate?: number;
}

/** Both versions by turns, as in `from, to, to, from, …`: a machine that becomes slower slows both. */
const sidesOf = (pairs: number): Side[] =>
  Array.from({ length: pairs }, (_, i): Side[] => (i % 2 === 0 ? ['from', 'to'] : ['to', 'from'])).flat();

/**
 * The trials that are not measured yet: first the throughput, then the latency at one rate. None where a version gave no
 * figures twice: it does not work, and the others would not tell more.
 */
export function openTrials({ pairs }: Pick<UpgradeRecord, 'pairs'>, trials: UpgradeTrial[]): Planned[] {
  if (failedTwice(trials) !== undefined) return [];
  const left = (stage: Planned['stage']) =>
    trials.filter((t) => t.stage === stage).reduce((sides, { side }) => without(sides, side), sidesOf(pairs));
  const throughput = left('throughput').map((side): Planned => ({ stage: 'throughput', side }));
  const rate = latencyRate(trials);
  // Without a figure of both versions there is no rate that both take.
  const isPossible = rate !== undefined || throughput.length > 0;
  const latency = isPossible ? left('latency') : [];
  return [...throughput, ...latency.map((side): Planned => ({ stage: 'latency', side, ...(rate && { rate }) }))];
}

/** Sides without the first of one. */
function without(sides: Side[], side: Side): Side[] {
  const first = sides.indexOf(side);
  return sides.filter((_, i) => i !== first);
}

/** The version that twice did not work, and why. */
export function failedTwice(trials: UpgradeTrial[]): UpgradeTrial | undefined {
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
