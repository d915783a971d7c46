import { textTable } from './table.js';

/** What a command of several deployments would measure, what is left out, and how long it takes. */
export function formatDryPlan(
  dry: {
    n8n: string[];
    items: { name: string; text?: string; leftOut?: string }[];
    driven: string;
    seconds: number;
    touches: string[];
  },
  folder: string,
): string {
  const { n8n, items, driven, seconds, touches } = dry;
  const measured = items.filter(({ leftOut }) => leftOut === undefined);
  const leftOut = items.filter((item) => item.leftOut !== undefined);
  return `n8n ${n8n.join(' and ')}

${textTable(MEASURED, measured)}
${leftOut.length === 0 ? '' : `\n${textTable(LEFT_OUT, leftOut)}\n`}
driven    ${driven}
time      about ${Math.ceil(seconds / 60)} min at most, once everything is installed
record    ${folder}
touches   ${touches.join('\n          ')}

Nothing was deployed. Run the same command without --dry-run.
`;
}

interface Item {
  name: string;
  text?: string;
  leftOut?: string;
}

/** Characters of the columns; longer texts wrap. */
const [NAME_WIDTH, TEXT_WIDTH] = [36, 40];

const NAME = { head: 'measured', isText: true as const, width: NAME_WIDTH, cell: ({ name }: Item) => name };
const MEASURED = [NAME, { head: '', isText: true as const, width: TEXT_WIDTH, cell: ({ text = '' }: Item) => text }];
const LEFT_OUT = [
  { ...NAME, head: 'left out' },
  { head: 'why', isText: true as const, width: TEXT_WIDTH, cell: ({ leftOut = '' }: Item) => leftOut },
];
