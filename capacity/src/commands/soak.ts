import type { Command } from 'commander';
import { runAllChecks } from '../core/all-of.js';
import { exitCodesHelp, VERDICT_EXIT_CODES } from '../core/exit-codes.js';
import { soakPlan, type SoakOptions } from '../plan/soak.js';
import { refuseExisting, choosePlace, type WhereOptions } from '../provision/choose.js';
import { withCustomWorkflow } from './options/custom-workflow.js';
import { withCluster, withValues } from './options/deployment.js';
import { withDryRun } from './options/dry-run.js';
import { withHelpAll } from './options/help-all.js';
import { withOneWorkload, withStepTimes } from './options/load.js';
import { withOutput, withS3 } from './options/output.js';
import { withWatch } from './options/watch.js';
import { runPlan, type RunOptions } from './run-plan.js';

/** `n8n-capacity soak`. */
export function defineSoak(command: Command, signal: AbortSignal): Command {
  command
    .requiredOption('--rate <rate>', 'arrival rate, such as 10/s; per second without a unit')
    .requiredOption('--duration <time>', 'length of the soak, 1m to 72h; at least 11m for a verdict on drift')
    .option(
      '--horizon <time>',
      'time after the soak for which nothing that grows may reach its limit, 1h to 365d (default: 7d)',
    );
  withOneWorkload(withValues(command)).option(
    '--slo <objectives>',
    'objectives, such as p95=800ms,errors=1%; latency objectives apply above the service time (default: p95=800ms,p99=2s,errors=1%)',
  );
  withStepTimes(command);
  withWatch(withOutput(command));
  withCluster(command, 'where to deploy: process (this machine) or kubernetes');
  withCustomWorkflow(command);
  command.on(
    'option:provisioner',
    refuseExisting(
      'a soak needs a deployment of its own; to test a running n8n, use "n8n-capacity validate --provisioner existing --url …".',
    ),
  );
  withS3(withDryRun(command));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((options: SoakOptions & WhereOptions & RunOptions) => {
      const { where, plan } = runAllChecks({ where: () => choosePlace(options), plan: () => soakPlan(options) });
      return runPlan(plan, options, signal, where);
    });
}

/** The options that `--help` shows. */
const FIRST = [
  '--rate',
  '--duration',
  '--horizon',
  '--profile',
  '--values',
  '--set',
  '--workload',
  '--workflow',
  '--slo',
  '--dry-run',
];

const HELP = `
The verdict is FAIL if the SLO is broken, or if memory, heap, latency or backlog grow so that they reach their limit within the
horizon, or if the tables of n8n keep growing. It is INCONCLUSIVE if the soak was too short to tell: it then says how long a soak
would have to be. Two hours are mostly enough for --horizon 1d, a night for 7d. The first quarter is discarded, because heap,
compiled code and caches fill during it. After Ctrl-C, "n8n-capacity report <folder>" judges what was recorded.

Examples:
  n8n-capacity soak --rate 10/s --duration 2h --horizon 1d
  n8n-capacity soak --profile queue --rate 50/s --duration 12h --workload webhook-wait --query seconds=1
  n8n-capacity soak --rate 5/s --duration 4h --horizon 3d --mix mix.yaml --slo p95=500ms,errors=0.1% --json
  n8n-capacity soak --rate 5/s --duration 2h --horizon 1d --workflow order.json --body order-body.json --provisioner kubernetes

${exitCodesHelp({ ...VERDICT_EXIT_CODES, 0: 'PASS' })}`;
