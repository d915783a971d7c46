import { format } from '../../core/formats.js';
import type { JudgedStep } from '../../model/verdict.js';
import { why, type LoadConclusion } from '../conclusion.js';
import { answeredRate } from '../sustained.js';
import type { JudgeProfile } from '../profile.js';

/** The verdict on clients in a closed loop: that of their last step. */
export function concludeClients(clients: number, last: JudgedStep): LoadConclusion {
  const { verdict } = last.judged;
  const reason = verdict === 'PASS' ? '' : `; ${why(last)}`;
  return { verdict, conclusion: `${clients} clients: ${format(answeredRate(last.step))}/s answered${reason}` };
}

/** Clients in a closed loop: the verdict on the last step, with the throughput. */
export const closed: JudgeProfile<'closed'> = {
  conclude: ({ clients }, steps) => concludeClients(clients, steps.at(-1)!),
};
