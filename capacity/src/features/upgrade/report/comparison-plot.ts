import type { Comparison, UpgradeFinding } from '../record.js';
import { UPGRADE_WORDS, QUANTITY_WORDS } from './words.js';
import type { Plot } from '../../../report/html/plot.js';
import { ratiosPlot } from '../../../report/html/ratios-plot.js';

const COLOURS: Record<UpgradeFinding, string> = {
  better: 'var(--pass)',
  worse: 'var(--fail)',
  same: 'var(--muted)',
  open: 'var(--inconclusive)',
};

/** The change of each quantity by the new version, with its interval. */
export function comparisonPlot(comparisons: Comparison[]): Plot {
  const rows = comparisons.flatMap(({ quantity, ratio, finding }) =>
    ratio ? [{ name: QUANTITY_WORDS[quantity], ratio, finding: UPGRADE_WORDS[finding], colour: COLOURS[finding] }] : [],
  );
  return ratiosPlot({
    title: 'What the new version changes',
    what: 'Change from the old version to the new one',
    axisTitle: 'change',
    rows: rows.reverse(),
  });
}
