import { formatNumber } from '../../../core/formats.js';
import type { FaultRow, Outcome, Told } from '../record.js';
import { NONE, type Column } from '../../../report/columns.js';

const count = (head: string, of: (accounts: NonNullable<FaultRow['accounts']>) => number): Column<FaultRow> => ({
  head,
  cell: ({ accounts }) => (accounts ? String(of(accounts)) : NONE),
});

const told = (head: string, answer: Told) => count(head, (accounts) => accounts.told[answer]);
const ended = (head: string, outcome: Outcome) => count(head, (accounts) => accounts.outcomes[outcome]);

const seconds = (value: number | undefined): string => (value === undefined ? NONE : `${formatNumber(value)} s`);

/** A row for each fault; the medium adds the verdict. */
export const FAULT_COLUMNS: Column<FaultRow>[] = [
  { head: 'Fault', isText: true, cell: ({ fault }) => fault },
  told('Accepted', 'accepted'),
  ended('Done', 'done'),
  ended('Twice', 'twice'),
  ended('Failed', 'failed'),
  ended('Crashed', 'crashed'),
  ended('Stuck', 'stuck'),
  ended('Vanished', 'vanished'),
  told('Refused', 'refused'),
  told('Error', 'rejected'),
  told('No answer', 'unanswered'),
  { head: 'Recovers in', cell: ({ recoverySeconds }) => seconds(recoverySeconds) },
  { head: 'Accounted in', cell: ({ accountedSeconds }) => seconds(accountedSeconds) },
];

/** Ids that are listed for one outcome, at most. */
const SHOWN = 5;

/** Details of a fault: why it is not PASS, ids, what to change. Each is a sentence without a full stop. */
export function faultDetails({ reasons, accounts, evidence, change }: FaultRow): string[] {
  if (!accounts) return reasons;
  const { ids, rescued, misreported, untold, orphans, starting } = accounts;
  const named = (what: string, all: string[]) =>
    all.length === 0
      ? []
      : [`${what}: ${all.slice(0, SHOWN).join(', ')}${all.length > SHOWN ? ` and ${all.length - SHOWN} more` : ''}`];
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
