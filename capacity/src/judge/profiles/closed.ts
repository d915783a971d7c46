import { format } from '../../core/formats.js';
import type { JudgedStep } from '../../model/verdict.js';
import { answeredRate, why, type LoadConclusion } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** The verdict on clients that each wait for their answer: that of their last step. */
export function concludeClients(clients: number, last: JudgedStep): LoadConclusion {
  const { verdict } = last.judged;
  const reason = verdict === 'PASS' ? '' : `; ${why(last)}`;
  return { verdict, conclusion: `${clients} clients: ${format(answeredRate(last.step))}/s answered${reason}` };
}

/** The closed model: the last step, and how many answers its clients got. */
export const closed: JudgeProfile<'closed'> = {
  conclude: ({ clients }, steps) => concludeClients(clients, steps.at(-1)!),
};
