import type { Command } from 'commander';

const collect = (value: string, previous: string[] = []) => [...previous, value];

/** Adds the flags of a workflow of one's own; `customLoad` reads them. */
export const withCustomWorkflow = (command: Command): Command =>
  command
    .optionsGroup('A workflow of your own:')
    .option('--workflow <file>', 'workflow of your own, as n8n exports it, instead of a workload')
    .option('--sub-workflow <file>', 'workflow that it starts; may be repeated', collect)
    .option('--credentials <file>', 'what its nodes use, as "n8n export:credentials --decrypted" writes it')
    .option(
      '--webhook <path>',
      'webhook of it to call, where it has several, as /webhook/order?source=test; with existing and without --workflow: one that is there',
    )
    .option('--method <method>', 'HTTP method, where that webhook takes several (without --workflow: GET)')
    .option('--body <file>', 'what is sent with each request; its content type follows from its name')
    .option('--headers <file>', 'JSON file of headers that are sent, as {"x-api-key": "…"}; they are not recorded')
    .option('--expect-status <code>', 'HTTP status of a correct answer (default: any 2xx)')
    .option('--service-time <time>', 'what an answer takes by design; latencies are above it (default: 0s)')
    .option('--execution-time <time>', 'what an execution takes by design (default: the service time)')
    .option('--allow-side-effects', 'its nodes may reach outside n8n, once for every request');
