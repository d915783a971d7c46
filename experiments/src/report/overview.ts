import { judgeClaims } from '../judge/claims.js';
import type { ExperimentRecord } from '../record/schema.js';
import type { Experiment } from '../spec/schema.js';
import { boundText, originText, markdownTable, VERDICTS } from './claims.js';
import { ORIGIN } from './page.js';

/** An experiment and the record of its published run; `record` is undefined if none is published. */
export interface Published {
  experiment: Experiment;
  record: ExperimentRecord | undefined;
}

/** The page that compares all experiments. */
export function overviewPage(experiments: Published[]): string {
  const rows = experiments.flatMap(({ experiment, record }) => {
    const link = `[${experiment.name}](${experiment.name}.md)`;
    if (!record) return [[experiment.name, 'not run yet', '–', '–', '–', '–']];
    const judged = judgeClaims(experiment.claims, record.cells).filter(({ claim }) => claim.key);
    return judged.map(({ claim, measured, verdict }, i) => [
      i === 0 ? link : '',
      claim.says,
      originText(claim),
      boundText(claim),
      measured,
      VERDICTS[verdict],
    ]);
  });
  return [
    '# The experiments',
    'A production team found that n8n’s defaults failed under load, and measured the causes. This team is called ' +
      `${ORIGIN} of this project. Each of its findings is an experiment that you can repeat, and so is the chart’s overload protection: ` +
      'run `make experiment NAME=heap-size`, with `GRID=full` for the whole grid. The column "origin" has the team’s figures, as a ' +
      'ratio within one run or as a share. The column "here" has the figures of the machine that each page names. Ratios can be ' +
      'compared between machines; absolute figures cannot. The table has only the main claims; each page has all claims.',
    markdownTable(['experiment', 'claim', 'origin', 'asked', 'here', ''], rows),
    experiments
      .map(({ experiment: { name, title, question }, record }) => {
        return `- ${record ? `[${title}](${name}.md)` : title}: ${question.trim()}`;
      })
      .join('\n'),
    'Every figure is rendered from the records beside the pages; a test fails if a page differs from its record.',
    '',
  ].join('\n\n');
}
