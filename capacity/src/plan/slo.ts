import { PERCENTILES, type Slo } from '../model/plan.js';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';
import { duration, percentage } from './quantities.js';

/** The default SLO: a person who waits for a webhook notices a second. */
export const DEFAULT_SLO: Slo = { p95: 0.8, p99: 2, errors: 0.01 };

const OBJECTIVES = [...PERCENTILES, 'errors'] as const;
type Objective = (typeof OBJECTIVES)[number];

/** An SLO from `--slo p95=800ms,errors=1%`; see `sloOf`. Throws UsageError that names the objective and the bad value. */
export function parseSlo(text: string | undefined, defaults = DEFAULT_SLO): Slo {
  const given: Partial<Record<Objective, string>> = {};
  for (const part of text === undefined ? [] : text.split(',').map((p) => p.trim())) {
    const [key = '', value = ''] = part.split('=');
    const objective = OBJECTIVES.find((known) => known === key);
    if (!objective)
      throw new UsageError(
        `--slo: unknown objective "${key}"${didYouMean(key, OBJECTIVES)} Known: ${OBJECTIVES.join(', ')}; write them as p95=800ms,errors=1%.`,
      );
    if (given[objective] !== undefined) throw new UsageError(`--slo: ${key} is given twice; give each objective once.`);
    given[objective] = value;
  }
  return sloOf(given, '--slo', defaults);
}

/**
 * The SLO of the given objectives. Those that are not given keep their default, but any percentile replaces all default
 * percentiles.
 * @param option for messages
 * @throws UsageError that names the objective and the bad value
 */
export function sloOf(
  given: { [K in Objective]?: string | undefined },
  option: string,
  defaults: Slo = DEFAULT_SLO,
): Slo {
  const slo: Partial<Slo> = {};
  for (const objective of PERCENTILES) {
    const text = given[objective];
    if (text !== undefined) slo[objective] = duration(text, `${option} ${objective}`);
  }
  const { errors } = given;
  const kept = Object.keys(slo).length > 0 ? { errors: defaults.errors } : defaults;
  return { ...kept, ...slo, ...(errors !== undefined && { errors: percentage(errors, `${option} errors`) }) };
}
