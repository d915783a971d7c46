import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { kubectl } from './namespace.js';

const script = fileURLToPath(new URL('../lab/crds.sh', import.meta.url));

/** Custom resource definitions of Gateway API, prometheus-operator, KEDA and k6-operator, where the cluster lacks them. */
export async function installCrds(): Promise<void> {
  const { stdout: folder } = await execa(script);
  const wanted = (await kubectl(['create', '--dry-run=client', '-f', folder, '-o', 'name'])).split('\n');
  const there = (await kubectl(['get', 'crds', '-o', 'name'])).split('\n');
  if (wanted.every((name) => there.includes(name))) return;
  await kubectl(['apply', '--server-side', '-f', folder]);
  await kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...wanted]);
}
