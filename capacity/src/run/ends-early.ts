import { decidedBy } from '../judge/decided.js';
import { THRESHOLDS_FAILED_CODE } from '../load/k6.js';
import type { Requests } from '../load/requests.js';
import type { GeneratorEnd, StepLoad } from '../model/generator.js';
import { HOLD_SECONDS, type Kind, type Plan } from '../model/plan.js';
import type { StepAt } from './context.js';
import type { DriveProfile } from './profile.js';

/** A step as far as it decides that. */
interface Asked {
  at: StepAt;
  stepSeconds: number;
  profile: Pick<DriveProfile<Kind>, 'endsOnceDecided'>;
}

/**
 * What k6 ends a step early at, where its profile wants that: see `decidedBy`. Only a hold ends early: a short step may break by chance, and its whole length decides better (bench:truth: the capacity of heavy-tailed servers is then found less often).
 */
export function endsAt({ slo }: Pick<Plan, 'slo'>, { at, stepSeconds, profile }: Asked): Pick<StepLoad, 'endsAt'> {
  return profile.endsOnceDecided && 'rate' in at && stepSeconds >= HOLD_SECONDS
    ? { endsAt: decidedBy(slo, at.rate * stepSeconds) }
    : {};
}

/**
 * When k6 ended a step because too many answers were slow, in milliseconds since the epoch; undefined if it went on to its
 * end. Other thresholds of the script end no step, and have the same exit code.
 * @param from beginning of the measured part, in milliseconds since the epoch
 */
export function endedEarlyAt(
  plan: Pick<Plan, 'slo'>,
  request: Asked,
  { exitCode }: Pick<GeneratorEnd, 'exitCode'>,
  requests: Pick<Requests, 'lastEndedAt' | 'summary'>,
  from: number | undefined,
): number | undefined {
  const { endsAt: limits = [] } = endsAt(plan, request);
  if (limits.length === 0 || exitCode !== THRESHOLDS_FAILED_CODE || from === undefined) return undefined;
  const { slow = {} } = requests.summary(from);
  const reached = limits.some(({ objective, answers }) => (slow[objective] ?? 0) >= answers);
  return reached && requests.lastEndedAt < from + request.stepSeconds * 1000 ? requests.lastEndedAt : undefined;
}
