import { format, milliseconds } from '../../core/formats.js';
import type { Drift, SoakReport } from '../../model/reports.js';
import Table from 'cli-table3';
import pc from 'picocolors';
import { verdictOfDrift } from '../../judge/profiles/soak.js';
import { BORDERLESS, COLOURS } from './style.js';

const WORD: Record<Drift['verdict'], string> = { stable: 'stable', drifts: 'drifts', 'too-short': 'too short to tell' };

/** A line for each quantity: what it changes an hour, how likely that is chance, and when its limit would be reached. */
export function driftTable({ drifts, unknown }: SoakReport): string {
  const table = new Table({
    head: ['', 'of', 'an hour', 'p', 'at its limit in', 'verdict'],
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: ['left', 'left', 'right', 'right', 'right', 'left'],
  });
  for (const drift of drifts) {
    const { of, name, pValue, verdict } = drift;
    const seen = verdict !== 'too-short';
    const word = COLOURS[verdictOfDrift(verdict)](WORD[verdict]);
    table.push([of, name, seen ? perHour(drift) : '-', seen ? pValue.toPrecision(2) : '-', limitText(drift), word]);
  }
  for (const what of unknown) table.push([pc.yellow('unknown'), what, '', '', '', '']);
  return table.toString();
}

/** `+1.2 MiB`, `−3 ms`, `+36000 rows`. */
export function perHour({ of, perHour: change }: Drift): string {
  const size = Math.abs(change);
  const sign = change < 0 ? '−' : '+';
  if (of === 'rows') return `${sign}${format(size)} rows`;
  return `${sign}${of === 'latency' ? milliseconds(size) : `${format(size / 2 ** 20)} MiB`}`;
}

/** `12.3 h`, or a dash where there is no limit or no trend towards it. */
export const limitText = ({ hoursToLimit }: Drift): string =>
  hoursToLimit === undefined ? '-' : `${format(hoursToLimit)} h`;

/** A line for the verdict: what drifts, or that nothing does. */
export function driftLine({ verdict, drifts }: SoakReport): string {
  const of = (v: Drift['verdict']) => drifts.filter((d) => d.verdict === v);
  const word = COLOURS[verdictOfDrift(verdict)](verdictOfDrift(verdict).padEnd(7));
  if (verdict === 'stable') return `${word} drift: none in ${drifts.length} quantities`;
  if (verdict === 'drifts')
    return `${word} drift: ${of('drifts')
      .map((d) => d.text)
      .join('; ')}`;
  return `${word} drift: ${of('too-short')[0]?.text ?? 'nothing was measured: lengthen the soak'}`;
}
