import { formatPercent } from '../core/formats.js';
import type { Choice, RunRecord } from '../model/run.js';

/** What to change in the custom workflow of a run, one text for each choice that costs enough, the most expensive first. */
export const adviceOf = ({ choices = [] }: Pick<RunRecord, 'choices'>): string[] =>
  choices.filter(isWorthChanging).map(choiceText);

/** A choice in the workflow that costs a smaller share is not worth a line beside the answer. */
const WORTH_SHARE = 0.1;

/** Whether a choice costs enough; one whose cost is not known may. */
const isWorthChanging = ({ share }: Choice): boolean => share === undefined || share >= WORTH_SHARE;

function choiceText({ title, nodes, share, unlike = [], change }: Choice): string {
  const where = nodes.length === 0 ? '' : ` (${nodes.map((node) => `"${node}"`).join(', ')})`;
  const cost =
    share === undefined
      ? `Its cost was not measured on this n8n (${unlike.join(', ')})`
      : `On an example it costs ${formatPercent(Math.round(share * 100) / 100)} of the executions per second`;
  return `In the workflow: ${title}${where}. ${cost}. ${change}`;
}
