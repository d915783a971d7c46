/**
 * Before and after all tests of the project `cluster`, in Jest's own process: names the run, and deletes what is left of
 * it at the end, also at Ctrl-C. A test deletes its namespace itself; this is for those that could not.
 */
import { spawnSync } from 'node:child_process';

const LABEL = 'n8n-tuned.io/test-run';

export default function begin(): void {
  if (!process.env.KUBECONFIG) {
    throw new Error(
      'KUBECONFIG names no cluster: run `make test-cluster`, or test/cluster/cluster.sh run npm run test:cluster',
    );
  }
  process.env.CLUSTER_TEST_RUN = `${Date.now().toString(36)}`;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      end();
      process.exit(130);
    });
  }
}

export function end(): void {
  const run = `${LABEL}=${process.env.CLUSTER_TEST_RUN}`;
  // First what the API server would ask a deleted namespace for.
  const kinds =
    'apiservices,customresourcedefinitions,namespaces,clusterrolebindings,clusterroles,ingressclasses,rolebindings';
  const { status, stderr } = spawnSync(
    'kubectl',
    ['delete', kinds, '--all-namespaces', '--selector', run, '--timeout=120s'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  if (status !== 0) console.error(`not all of this run is deleted (kubectl get ${kinds} -l ${run}): ${stderr}`);
}
