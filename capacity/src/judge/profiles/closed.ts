import { formatNumber } from '../../core/formats.js';
import type { JudgedStep, ReasonCode } from '../../model/verdict.js';
import { why, type LoadConclusion } from '../conclusion.js';
import { answeredRate } from '../sustained.js';
import type { JudgeProfile } from '../profile.js';

/** The verdict on clients in a closed loop from one of their steps, with the throughput. */
export function concludeClients(clients: number, deciding: JudgedStep): LoadConclusion {
  const { verdict } = deciding.judged;
  const reason = verdict === 'PASS' ? '' : `; ${why(deciding)}`;
  return {
    verdict,
    conclusion: `${clients} clients: ${formatNumber(answeredRate(deciding.step))}/s answered${reason}`,
  };
}

/** Reasons to fail that a warmer n8n does not undo. */
const LASTING: ReasonCode[] = ['died', 'completed'];

/** Clients in a closed loop: the verdict on the last step, as n8n is warm then, unless it died or lost executions before. */
export const closed: JudgeProfile<'closed'> = {
  conclude({ clients }, steps) {
    const failed = steps.find(
      ({ judged }) => judged.verdict === 'FAIL' && judged.reasons.some(({ code }) => LASTING.includes(code)),
    );
    return concludeClients(clients, failed ?? steps.at(-1)!);
  },
};
