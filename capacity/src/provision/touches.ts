import type { ProvisionerName } from '../model/run.js';

/** What a run changes outside of the deployment's own record, for `--dry-run`. */
const TOUCHES: Record<ProvisionerName, string[]> = {
  process: [
    'starts processes on this machine that listen on 127.0.0.1, and ends them',
    'makes a temporary folder for n8n, and removes it',
    'makes cgroups below n8n-tuned where it may, and removes them',
    'installs what is missing into the cache of n8n-capacity',
  ],
  kubernetes: [
    'makes a namespace in the cluster, installs the chart and k6 into it, and removes it',
    'installs what is missing into the cache of n8n-capacity',
  ],
  existing: [
    'imports workflows and credentials into the n8n at --url, activates them, and removes them; a webhook that it serves already is only called',
    'sends load to --url, never above --max-rate',
    'installs what is missing into the cache of n8n-capacity',
  ],
};

export const touchesOf = (provisioner: ProvisionerName): string[] => TOUCHES[provisioner];
