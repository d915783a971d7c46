import type { Command } from 'commander';

/**
 * Adds the flags that say where to deploy.
 * @param provisioners what `--provisioner` may be, for the help
 */
export const withCluster = (command: Command, provisioners: string): Command =>
  command
    .option('--provisioner <name>', provisioners, 'process')
    .option('--kube-context <name>', "context of the kubeconfig (default: kubectl's current one)")
    .option('--generator <name>', 'with kubernetes, where k6 runs: job (in the cluster, default) or local (here)')
    .option('--generators <n>', 'with kubernetes: pods of k6 that share the load, run by the k6-operator (default: 1)');
