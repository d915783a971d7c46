import { formatNumber } from '../../../core/formats.js';
import { type Column, NONE } from '../../../report/columns.js';
import type { SweepRow } from '../record.js';
import { STATUS_WORDS } from './words.js';

/** Columns of configurations, after those of their dimensions; `currency` is that of the prices. */
export const sweepColumns = (
  currency: string,
): Record<'cores' | 'memory' | 'cost' | 'capacity' | 'perMillion' | 'status', Column<SweepRow>> => ({
  cores: { head: 'Cores', cell: ({ cost }) => (cost ? formatNumber(cost.cores) : NONE) },
  memory: { head: 'GiB', cell: ({ cost }) => (cost ? formatNumber(cost.memoryGib) : NONE) },
  cost: { head: `${currency}/h`, cell: ({ cost }) => cost?.perHour.toFixed(3) ?? NONE },
  capacity: { head: 'Sustains/s', cell: sustainedText },
  perMillion: { head: `${currency}/million`, cell: ({ perMillion }) => perMillion?.toFixed(2) ?? NONE },
  status: { head: 'Status', isText: true, cell: ({ status }) => STATUS_WORDS[status] },
});

/** The rate that a configuration sustains; a lower bound where the search was stopped early. */
export function sustainedText({ capacity, status }: SweepRow): string {
  if (capacity === undefined) return status === 'measured' ? 'none' : NONE;
  return `${status === 'dominated' ? '≥ ' : ''}${formatNumber(capacity)}`;
}

/** Why a configuration has its status. The first line of a refusal by Helm is the same for every configuration. */
export const statusReason = ({ text }: SweepRow): string => text.replace(/^the chart refuses these values:\n/, '');
