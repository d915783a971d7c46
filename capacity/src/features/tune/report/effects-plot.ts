import { changeText, type ChangeEffect, type Finding } from '../record.js';
import { FINDING_WORDS } from './words.js';
import type { Plot } from '../../../report/html/plot.js';
import { ratiosPlot } from '../../../report/html/ratios-plot.js';

const COLOURS: Record<Finding, string> = {
  more: 'var(--pass)',
  less: 'var(--fail)',
  none: 'var(--muted)',
  noGain: 'var(--text)',
  open: 'var(--inconclusive)',
  fails: 'var(--fail)',
};

/** The effect of each change on the throughput with its interval, the best on top. */
export function effectsPlot(effects: ChangeEffect[], matters: number): Plot {
  const rows = effects.flatMap(({ change, throughput, finding }) =>
    throughput
      ? [{ name: changeText(change), ratio: throughput, finding: FINDING_WORDS[finding], colour: COLOURS[finding] }]
      : [],
  );
  return ratiosPlot({
    title: 'What each change does to the throughput',
    what: 'Change of the throughput by each setting',
    axisTitle: 'change of the throughput',
    rows: rows.sort((a, b) => a.ratio.ratio - b.ratio.ratio),
    matters,
  });
}
