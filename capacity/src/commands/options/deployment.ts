import type { Command } from 'commander';
import { profileNames } from '../../chart/profiles.js';
import { collect } from './output.js';

/** Adds the options for the chart's values. */
export const withValues = (command: Command): Command =>
  command
    .option('--profile <name>', `profile of the chart, which -f and --set change: ${profileNames().join(', ')}`)
    .option('-f, --values <file>', 'values file of the chart; may be repeated', collect)
    .option('--set <key=value>', 'single value of the chart; may be repeated', collect)
    .option(
      '--set-string <key=value>',
      'single value that is text, such as a number in quotes; may be repeated',
      collect,
    )
    .option('--set-file <key=file>', 'single value that is the content of a file; may be repeated', collect)
    .option(
      '--set-json <key=json>',
      'value in JSON, such as main.nodeSelector={"disk":"ssd"}, or an object of values; may be repeated',
      collect,
    );

/**
 * Adds the options for another chart, or its manifests.
 * @param n8n description of `--n8n`
 */
export const withForeign = (
  command: Command,
  n8n = 'with --manifests or --chart: version of n8n to run (default: the tag of the image)',
): Command =>
  command
    .option('--manifests <file>', 'manifests that another chart rendered, as "helm template" prints them')
    .option('--chart <chart>', 'another chart of n8n, with -f and the --set flags: a folder, an archive or oci://…')
    .option('--n8n <version>', n8n)
    .option(
      '--env <NAME=value>',
      'with --manifests or --chart: environment variable of n8n, overrides the manifests or chart; may be repeated',
      collect,
    );

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
