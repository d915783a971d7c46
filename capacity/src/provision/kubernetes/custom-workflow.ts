import type { CustomWorkflow } from '../../model/plan.js';
import { readFile, rm } from 'node:fs/promises';
import { messageOf, NotReady, UsageError } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { scratchFolder } from '../leftovers.js';
import { importAndActivate, type Imports, type N8nCommand } from '../n8n-import.js';
import { ASK_MS } from './api-proxy.js';
import type { Cluster } from './cluster.js';
import { componentOf } from '../../chart/objects.js';
import type { PodObject } from './api-objects.js';
import { N8N_PORT, type ReleaseView } from './release.js';

const COMMAND_MS = 180_000;
const RESTART_SECONDS = 120;

/** A running release. */
export interface RunningRelease {
  cluster: Cluster;
  view: ReleaseView;
  /** Version of its n8n. */
  version: string;
  signal: AbortSignal;
}

/** Workflows to import, beside the load targets of the chart. */
export interface Imported {
  /** For people. */
  name: string;
  /** Where it comes from, as an error names it: a flag with its value. */
  source: string;
  imports: Imports;
}

/**
 * Imports and activates workflows with their credentials, by n8n's command line in main's pod. n8n reads the activation when it
 * starts, so main's container is ended once and Kubernetes restarts it.
 * @throws UsageError with n8n's message when the import fails, NotReady when the container does not restart
 */
export async function importInto(release: RunningRelease, { source, imports }: Imported): Promise<void> {
  const { view, version, signal } = release;
  const main = (await view.pods(ASK_MS)).find((pod) => componentOf(pod) === 'main')!;
  const folder = await scratchFolder();
  try {
    await importAndActivate(commandIn(release, main), version, imports, folder);
  } catch (error) {
    signal.throwIfAborted();
    throw new UsageError(`${source}: could not be imported: ${messageOf(error)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await restarted(release, main);
}

/** Passes standard input to n8n as a temporary file, so that no credential is in an argument or stays in the pod. */
const WITH_INPUT =
  'umask 077; file=$(mktemp) && cat >"$file" && n8n "$@" --input="$file"; code=$?; rm -f "$file"; exit $code';

/** n8n's command line in a pod; `--input` names a file of this machine. */
function commandIn({ cluster, view, signal }: RunningRelease, { metadata, spec }: PodObject): N8nCommand {
  const exec = ['--namespace', view.namespace, 'exec', '-i', metadata.name, '-c', spec.containers[0]!.name, '--'];
  return async (...args) => {
    const file = args.find((arg) => arg.startsWith('--input='))?.slice('--input='.length);
    const others = args.filter((arg) => !arg.startsWith('--input='));
    const command = file === undefined ? ['n8n', ...others] : ['sh', '-c', WITH_INPUT, 'n8n', ...others];
    const input = file === undefined ? '' : await readFile(file, 'utf8');
    const said = await cluster.kubectl([...exec, ...command], { input, timeoutMs: COMMAND_MS, signal });
    // n8n exits with 0 after some errors.
    if (file !== undefined && !said.includes('Successfully imported')) throw new Error(said);
  };
}

async function restarted({ cluster, view, signal }: RunningRelease, before: PodObject): Promise<void> {
  const { name } = before.metadata;
  const container = before.spec.containers[0]!.name;
  const idOf = ({ status }: PodObject) => status.containerStatuses?.find((s) => s.name === container)?.containerID;
  await cluster.kubectl(['--namespace', view.namespace, 'exec', name, '-c', container, '--', 'sh', '-c', 'kill 1'], {
    signal,
  });
  const isAnother = async () => {
    const now = (await view.pods(ASK_MS).catch(() => [])).find(({ metadata }) => metadata.name === name);
    return now !== undefined && idOf(now) !== idOf(before);
  };
  if (!(await waitUntil(isAnother, { seconds: RESTART_SECONDS, everyMs: 500, signal })))
    throw new NotReady(name, `was not restarted within ${RESTART_SECONDS} s after the workflow was imported`);
}

/** Asks n8n in its pod for the methods of a webhook, without calling it: the API server's proxy forwards only GET. */
const ASK_METHODS = `
const [path, method] = process.argv.slice(1);
const base = 'http://127.0.0.1:${N8N_PORT}';
const headers = { origin: base, 'access-control-request-method': method };
fetch(base + path, { method: 'OPTIONS', headers }).then(
  ({ headers }) => console.log(headers.get('allow') ?? headers.get('access-control-allow-methods') ?? ''),
  () => {},
);
`;

/** Whether a pod serves the webhook of a custom workflow. */
export async function servesCustom(
  cluster: Cluster,
  namespace: string,
  { metadata, spec }: PodObject,
  { path, method }: CustomWorkflow,
): Promise<boolean> {
  const exec = ['--namespace', namespace, 'exec', metadata.name, '-c', spec.containers[0]!.name, '--'];
  const asked = ['node', '-e', ASK_METHODS, path.replace(/\?.*$/, ''), method];
  const methods = await cluster.kubectl([...exec, ...asked]).catch(() => '');
  return methods.trim().split(/,\s*/).includes(method);
}
