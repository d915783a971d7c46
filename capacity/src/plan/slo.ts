import type { Slo } from '../model/plan.js';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';
import { duration, percentage } from './quantities.js';

/** What holds when `--slo` says nothing: a person who waits for a webhook notices a second. */
const DEFAULT_SLO: Slo = { p95: 0.8, p99: 2, errors: 0.01 };

const KEYS = ['p50', 'p95', 'p99', 'errors'] as const;

/**
 * Reads `p95=800ms,errors=1%`. What is not named keeps its default, but naming any percentile replaces the default ones.
 * @param defaults what holds where the text says nothing
 * @throws UsageError that names the unknown key or the bad value
 */
export function parseSlo(text: string | undefined, defaults = DEFAULT_SLO): Slo {
  if (text === undefined) return defaults;
  const slo: Partial<Slo> = {};
  for (const part of text.split(',').map((p) => p.trim())) {
    const [key = '', value = ''] = part.split('=');
    if (!KEYS.includes(key as keyof Slo)) {
      throw new UsageError(
        `--slo: unknown objective "${key}"${didYouMean(key, KEYS)} Known are ${KEYS.join(', ')}, as in p95=800ms,errors=1%.`,
      );
    }
    if (slo[key as keyof Slo] !== undefined)
      throw new UsageError(`--slo: ${key} stands there twice; leave one of them out.`);
    slo[key as keyof Slo] = key === 'errors' ? percentage(value, `--slo ${key}`) : duration(value, `--slo ${key}`);
  }
  const percentiles = KEYS.some((key) => key !== 'errors' && slo[key] !== undefined);
  return { ...(percentiles ? { errors: defaults.errors } : defaults), ...slo };
}
