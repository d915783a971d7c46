import type { Command } from 'commander';
import { UsageError } from '../../core/errors.js';
import { collect } from './output.js';

/**
 * Adds the options of a custom workflow; `customLoad` reads them.
 * @param served whether the command also calls a webhook that an existing n8n serves
 */
export const withCustomWorkflow = (command: Command, { served = false } = {}): Command =>
  command
    .optionsGroup('Custom workflow:')
    .option('--workflow <file>', 'workflow exported from n8n, to run instead of a workload', refuseSecond)
    .option('--sub-workflow <file>', 'workflow that it starts; may be repeated', collect)
    .option('--credentials <file>', 'credentials of its nodes, as written by "n8n export:credentials --decrypted"')
    .option(
      '--webhook <path>',
      `webhook to call if it has several, such as /webhook/order?source=test; ${served ? SERVED : NOT_SERVED}`,
    )
    .option(
      '--method <method>',
      `HTTP method if the webhook accepts several${served ? ' (default without --workflow: GET)' : ''}`,
    )
    .option('--body <file>', 'file to send with each request; its extension sets the content type')
    .option('--headers <file>', 'JSON file of headers to send, such as {"x-api-key": "…"}; never recorded')
    .option('--expect-status <code>', 'HTTP status of a correct answer (default: any 2xx)')
    .option(
      '--service-time <time>',
      'time that an answer takes by design; latency objectives apply above it (default: 0s)',
    )
    .option('--execution-time <time>', 'time that an execution takes by design (default: the service time)')
    .option('--allow-side-effects', 'allow nodes that reach outside n8n; they run once for every request');

/** Only one workflow is run, so a second one must not be dropped silently. Throws UsageError. */
function refuseSecond(workflow: string, previous?: string): string {
  if (previous === undefined) return workflow;
  throw new UsageError(
    `--workflow ${workflow}: is not allowed after --workflow ${previous}; give one workflow, and run the command once for each. A workflow that the first one starts is given with --sub-workflow.`,
  );
}

const SERVED = 'with --provisioner existing and without --workflow, a webhook that n8n already serves';
const NOT_SERVED =
  'for one that n8n already serves, use "n8n-capacity validate --provisioner existing --webhook <path>"';
