import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { kubectl, type Manifest } from './namespace.js';

const script = fileURLToPath(new URL('../../../tools/cluster-lab/addons.sh', import.meta.url));

/** What tools/cluster-lab/addons.sh makes, and the label `app.kubernetes.io/name` by which a cluster shows that it has it. */
const NAMES = { 'k6-operator': 'k6-operator', keda: 'keda-operator', traefik: 'traefik' };

/**
 * Installs an operator or a controller where the cluster lacks it, and waits until it is ready. It is deleted after the run
 * (run.ts), unless it was there before. In the lab it is built first, which takes minutes the first time.
 */
export async function installAddon(addon: keyof typeof NAMES): Promise<void> {
  if ((await deployments(NAMES[addon])).length === 0) {
    const { stdout: manifests } = await execa(script, [addon], { stderr: 'inherit' });
    await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], manifests);
    const label = `n8n-tuned.io/test-run=${process.env.CLUSTER_TEST_RUN}`;
    await kubectl(['label', '--overwrite', '-f', '-', label], manifests);
  }
  const [{ metadata }] = await deployments(NAMES[addon]);
  for (const { metadata: each } of await deployments(undefined, metadata.namespace)) {
    const rollout = ['rollout', 'status', `deployment/${each.name}`, '--namespace', metadata.namespace];
    await kubectl([...rollout, '--timeout=240s']);
  }
}

async function deployments(name?: string, namespace?: string): Promise<Manifest[]> {
  const where = namespace ? ['--namespace', namespace] : ['--all-namespaces'];
  const which = name ? ['--selector', `app.kubernetes.io/name=${name}`] : [];
  return JSON.parse(await kubectl(['get', 'deployments', ...where, ...which, '-o', 'json'])).items;
}
