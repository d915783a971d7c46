import { median } from 'simple-statistics';
import { formatNumber, formatPercent, formatRate } from '../../capacity/src/core/formats.js';
import type { ForecastCheck } from './check.js';

/** Relative error that the median of the forecasts must not exceed. */
export const MAX_MEDIAN_ERROR = 0.15;

/** Median of the absolute errors; undefined without a forecast. */
export function medianError(checks: ForecastCheck[]): number | undefined {
  const errors = checks.flatMap(({ result }) => ('unknown' in result ? [] : [Math.abs(result.error)]));
  return errors.length === 0 ? undefined : median(errors);
}

/** The page with its table rendered from the checks. */
export function withForecasts(page: string, checks: ForecastCheck[]): string {
  const rows = checks.map(({ workload, mode, on, result }) =>
    'unknown' in result
      ? [workload, mode, '', '', '', result.unknown, on]
      : [
          ...[
            workload,
            mode,
            `${formatNumber(result.held)} to ${result.broken === undefined ? '?' : formatRate(result.broken)}`,
          ],
          ...[
            formatRate(result.forecast),
            `${result.error > 0 ? '+' : ''}${formatPercent(result.error)}`,
            result.limit,
            on,
          ],
        ],
  );
  const head = ['workload', 'mode', 'measured', 'forecast', 'error', 'first limit', 'measured on'];
  const found = medianError(checks);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const summary = found === undefined ? '' : `\n\nMedian of the errors: ${formatPercent(found)}.`;
  return page.replace(/(<!-- forecasts -->)[^]*(<!-- \/forecasts -->)/, `$1\n\n${lines.join('\n')}${summary}\n\n$2`);
}
