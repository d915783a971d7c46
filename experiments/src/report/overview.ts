import { judgeClaims } from '../judge/claims.js';
import type { ExperimentRecord } from '../record/schema.js';
import type { Experiment } from '../spec/schema.js';
import { asked, originText, table } from './claims.js';

/** An experiment, with the record of the run that is published; absent before there is one. */
export interface Published {
  experiment: Experiment;
  record: ExperimentRecord | undefined;
}

/** The page that shows all experiments side by side; one without a record says so. */
export function overviewPage(experiments: Published[]): string {
  const rows = experiments.flatMap(({ experiment, record }) => {
    const link = `[${experiment.name}](${experiment.name}.md)`;
    if (!record) return [[experiment.name, 'not run yet', '–', '–', '–', '–']];
    const judged = judgeClaims(experiment.claims, record.cells).filter(({ claim }) => claim.key);
    return judged.map(({ claim, measured, verdict }, i) => [
      i === 0 ? link : '',
      claim.says,
      originText(claim),
      asked(claim),
      measured,
      verdict === 'holds' ? 'holds' : `**${verdict}**`,
    ]);
  });
  return [
    '# The origin’s seven experiments, today',
    'A production team found that n8n’s defaults failed them, and measured why. Each finding is an experiment that anyone can run: ' +
      '`make experiment NAME=heap-size`, with `GRID=full` for the whole grid. The first column of figures is theirs, as a ratio in ' +
      'one run or a share; the last is ours, on the machine that each page states. Ratios compare, absolute figures of two machines do not.',
    table(['experiment', 'claim', 'origin', 'asked', 'here', ''], rows),
    experiments
      .map(({ experiment: { name, title, question }, record }) => {
        return `- ${record ? `[${title}](${name}.md)` : title}: ${question.trim()}`;
      })
      .join('\n'),
    'Every figure is rendered from the records beside the pages; a test fails when a page is not what its record says.',
    '',
  ].join('\n\n');
}
