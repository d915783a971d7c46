import { PERCENTILES, type Slo } from '../model/plan.js';
import { runAllChecks, checkEach } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';
import { duration, percentage } from './quantities.js';

/** The default SLO: a person who waits for a webhook notices a second. */
export const DEFAULT_SLO: Slo = { p95: 0.8, p99: 2, errors: 0.01 };

const OBJECTIVES = [...PERCENTILES, 'errors'] as const;
type Objective = (typeof OBJECTIVES)[number];

/** An SLO from `--slo p95=800ms,errors=1%`; see `sloOf`. Throws UsageError with all problems: the objective and the bad value. */
export function parseSlo(text: string | undefined, defaults = DEFAULT_SLO): Slo {
  const given: Partial<Record<Objective, string>> = {};
  const parts = text === undefined ? [] : text.split(',').map((part) => part.trim());
  const { slo } = runAllChecks({
    names: () =>
      checkEach(parts, (part) => {
        const [key = '', value = ''] = part.split('=');
        const objective = OBJECTIVES.find((known) => known === key);
        if (!objective)
          throw new UsageError(
            `--slo: unknown objective "${key}"${didYouMean(key, OBJECTIVES)} Known: ${OBJECTIVES.join(', ')}; write them as p95=800ms,errors=1%.`,
          );
        if (given[objective] !== undefined)
          throw new UsageError(`--slo: ${key} is given twice; give each objective once.`);
        given[objective] = value;
      }),
    slo: () => readSlo(given, '--slo', defaults),
  });
  return slo;
}

/**
 * The SLO of the given objectives. Those that are not given keep their default, but any percentile replaces all default
 * percentiles.
 * @param option for messages
 * @throws UsageError with all problems: the objective and the bad value
 */
export function readSlo(
  given: { [K in Objective]?: string | undefined },
  option: string,
  defaults: Slo = DEFAULT_SLO,
): Slo {
  const { errors } = given;
  const { failed, ...latencies } = runAllChecks({
    ...Object.fromEntries(
      PERCENTILES.flatMap((objective) => {
        const text = given[objective];
        return text === undefined ? [] : [[objective, () => duration(text, `${option} ${objective}`)]];
      }),
    ),
    failed: () => (errors === undefined ? defaults.errors : readErrorShare(errors, `${option} errors`)),
  });
  const kept = Object.keys(latencies).length > 0 ? {} : defaults;
  return { ...kept, ...latencies, errors: failed };
}

/** A deployment that answers nothing must miss any objective. */
const MOST_ERRORS = 0.5;

function readErrorShare(text: string, name: string): number {
  const share = percentage(text, name);
  if (share > MOST_ERRORS)
    throw new UsageError(
      `${name}: ${text} of the requests may fail, so a deployment that does not work would pass; write 0% to ${100 * MOST_ERRORS}%, such as 1%.`,
    );
  return share;
}
