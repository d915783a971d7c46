import { formatNumber } from '../../../core/formats.js';
import type { FaultRow, Outcome, Told } from '../record.js';
import { NONE, type Column } from '../../../report/columns.js';

const countColumn = (head: string, of: (accounts: NonNullable<FaultRow['accounts']>) => number): Column<FaultRow> => ({
  head,
  cell: ({ accounts }) => (accounts ? String(of(accounts)) : NONE),
});

const answerColumn = (head: string, answer: Told) => countColumn(head, (accounts) => accounts.told[answer]);
const outcomeColumn = (head: string, outcome: Outcome) => countColumn(head, (accounts) => accounts.outcomes[outcome]);

const seconds = (value: number | undefined): string => (value === undefined ? NONE : `${formatNumber(value)} s`);

/** A row for each fault; the medium adds the verdict. */
export const FAULT_COLUMNS: Column<FaultRow>[] = [
  { head: 'Fault', isText: true, cell: ({ fault }) => fault },
  answerColumn('Accepted', 'accepted'),
  outcomeColumn('Done', 'done'),
  outcomeColumn('Twice', 'twice'),
  outcomeColumn('Failed', 'failed'),
  outcomeColumn('Crashed', 'crashed'),
  outcomeColumn('Stuck', 'stuck'),
  outcomeColumn('Vanished', 'vanished'),
  answerColumn('Refused', 'refused'),
  answerColumn('Error', 'rejected'),
  answerColumn('No answer', 'unanswered'),
  { head: 'Recovers in', cell: ({ recoverySeconds }) => seconds(recoverySeconds) },
  { head: 'Accounted in', cell: ({ accountedSeconds }) => seconds(accountedSeconds) },
];

/** Ids that are listed for one outcome, at most. */
const MAX_IDS = 5;

/** Details of a fault: why it is not PASS, ids, what to change. Each is a sentence without a full stop. */
export function faultDetails({ reasons, accounts, evidence, change }: FaultRow): string[] {
  if (!accounts) return reasons;
  const { ids, rescued, misreported, untold, orphans, starting } = accounts;
  const named = (what: string, all: string[]) =>
    all.length === 0
      ? []
      : [
          `${what}: ${all.slice(0, MAX_IDS).join(', ')}${all.length > MAX_IDS ? ` and ${all.length - MAX_IDS} more` : ''}`,
        ];
  return [
    ...(evidence === undefined ? [] : [evidence]),
    ...reasons,
    ...(Object.keys(ids) as (keyof typeof ids)[]).flatMap((outcome) => named(outcome, ids[outcome])),
    ...named('done by a retry', rescued),
    ...named('done, but n8n lists them as failed or crashed', misreported),
    ...named('executed, but the caller got no answer or an error', untold),
    ...(orphans > 0 ? [`${orphans} executions whose caller got no answer or an error are still new or running`] : []),
    ...(starting > 0
      ? [
          `errors that are HTTP 200, "n8n is starting up": ${starting}; n8n executes nothing then, and a cluster sends it nothing`,
        ]
      : []),
    ...(change === '' ? [] : [change.replace(/\.$/, '')]),
  ];
}
