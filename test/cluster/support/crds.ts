import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { kubectl } from './namespace.js';

const script = fileURLToPath(new URL('../../../tools/cluster-lab/crds.sh', import.meta.url));

/**
 * Custom resource definitions of Gateway API, prometheus-operator, KEDA and k6-operator, where the cluster lacks them.
 * They are deleted after the run (run.ts), unless they were there before.
 */
export async function installCrds(): Promise<void> {
  const { stdout: folder } = await execa(script);
  const wanted = (await kubectl(['create', '--dry-run=client', '-f', folder, '-o', 'name'])).split('\n');
  const there = (await kubectl(['get', 'crds', '-o', 'name'])).split('\n');
  const missing = wanted.filter((name) => !there.includes(name));
  if (missing.length === 0) return;
  await kubectl(['apply', '--server-side', '-f', folder]);
  await kubectl(['label', ...missing, `n8n-tuned.io/test-run=${process.env.CLUSTER_TEST_RUN}`]);
  await kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...wanted]);
}
