import { UsageError } from '../../core/errors.js';
import type { Command } from 'commander';
import { collect } from './output.js';

/** Adds the flags that say what is deployed and what one load drives it, for the commands that know a single load. */
export const withOneLoad = (command: Command): Command =>
  command
    .option('-f, --values <file>', 'values file of the chart; may be repeated', collect)
    .option('--set <key=value>', 'a single value of the chart; may be repeated', collect)
    .option('--workload <name>', 'workload to drive (default: webhook-ack)', firstOf)
    .option('--mix <file>', 'YAML file of workloads and weights, driven together')
    .option('--query <name=value>', "a workload's query parameter, as seconds=2; may be repeated", collect);

/** Elsewhere the flag may be repeated, so that a second one is not to be lost silently. Throws UsageError. */
function firstOf(workload: string, previous?: string): string {
  if (previous === undefined) return workload;
  throw new UsageError(
    `--workload ${workload}: ${previous} was given already, and there can be one; use --mix for several.`,
  );
}
