import { concludePayloads, judgeTries, nextPayload, payloadRange } from '../../judge/profiles/payload-limit.js';
import type { PayloadTry } from '../../model/reports.js';
import type { StepRecord } from '../../model/step.js';
import type { DriveProfile } from '../profile.js';

/** The search at one concurrency ends with its second inconclusive try. */
const MAX_INCONCLUSIVE = 1;

/** The tries, one concurrency after the other; before each the deployment is ready again. */
export const drivePayloadLimit: DriveProfile<'payload-limit'> = {
  stopsAtDeath: true,
  async drive({ context: { progress, deployment }, take }, rates) {
    for (const clients of rates.concurrency) {
      const range = payloadRange(rates, clients, deployment.record);
      const steps: StepRecord[] = [];
      let tries: PayloadTry[] = [];
      const next = () => nextPayload(tries, range);
      for (let payloadMiB = next(); payloadMiB !== undefined; payloadMiB = next()) {
        steps.push(await take({ clients, payloadMiB }));
        // Judged again each time: what survived may have died after its step.
        tries = judgeTries(steps, deployment.events.all);
        const tried = tries.at(-1)!;
        progress.line(`  ${tried.outcome}: ${tried.text}`);
        if (tries.filter((t) => t.outcome === 'inconclusive').length > MAX_INCONCLUSIVE) break;
      }
      progress.line(`${clients} at once: ${concludePayloads(clients, tries, range, deployment.record).text}`);
    }
  },
};
