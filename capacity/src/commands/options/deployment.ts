import type { Command } from 'commander';
import { collect } from './output.js';

/** Adds the options for the chart's values. */
export const withValues = (command: Command): Command =>
  command
    .option('-f, --values <file>', 'values file of the chart; may be repeated', collect)
    .option('--set <key=value>', 'single value of the chart; may be repeated', collect);

/**
 * Adds the options that say where to deploy.
 * @param provisioners description of `--provisioner`
 */
export const withCluster = (command: Command, provisioners: string): Command =>
  command
    .option('--provisioner <name>', provisioners, 'process')
    .option('--kube-context <name>', 'kubeconfig context (default: the current context)')
    .option(
      '--generators <n>',
      'k6 pods that share the load with kubernetes; more than one needs the k6-operator (default: 1)',
    );
