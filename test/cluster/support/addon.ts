import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { kubectl, type Manifest } from './namespace.js';

const script = fileURLToPath(new URL('../../../tools/cluster-lab/addons.sh', import.meta.url));

/** What tools/cluster-lab/addons.sh makes, and the namespace it goes to. */
const NAMESPACES = { 'k6-operator': 'k6-operator-system', keda: 'keda', traefik: 'traefik' };

/**
 * Installs an operator or a controller where the cluster lacks it, and waits until it is ready. It is deleted after the run
 * (run.ts), unless it was there before. In the lab it is built first, which takes minutes the first time.
 */
export async function installAddon(name: keyof typeof NAMESPACES): Promise<void> {
  const namespace = NAMESPACES[name];
  if (!(await kubectl(['get', 'namespace', namespace, '--ignore-not-found', '-o', 'name']))) {
    const { stdout: manifests } = await execa(script, [name], { stderr: 'inherit' });
    await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], manifests);
    await kubectl(
      ['label', '--overwrite', '-f', '-', `n8n-tuned.io/test-run=${process.env.CLUSTER_TEST_RUN}`],
      manifests,
    );
  }
  const { items } = JSON.parse(await kubectl(['get', 'deployments', '--namespace', namespace, '-o', 'json']));
  for (const { metadata } of items as Manifest[])
    await kubectl(['rollout', 'status', `deployment/${metadata.name}`, '--namespace', namespace, '--timeout=240s']);
}
