import { WEBHOOK_TYPE } from '../workflow/node-types.js';
import { NotReady } from '../core/errors.js';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { runLogged } from '../core/run-logged.js';
import { readLogExcerpt } from '../core/log-file.js';
import { nodePackageFolder } from '../core/paths.js';
import type { Credential } from '../plan/custom-workflow/credentials-file.js';
import type { N8nRuntime } from '../tools/runtimes.js';

/** The first command migrates the database, which is slow on a slow disk. */
const COMMAND_TIMEOUT_MS = 180_000;

const SUB_WORKFLOW_TRIGGER = 'n8n-nodes-base.executeWorkflowTrigger';

/** Copies the built node package to n8n's folder for community nodes; every process needs its own copy. */
export async function installNode(home: string): Promise<void> {
  const target = join(home, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-tuned');
  await mkdir(target, { recursive: true });
  for (const path of ['package.json', 'dist/nodes', 'dist/credentials'])
    await cp(join(nodePackageFolder(), path), join(target, path), { recursive: true });
}

/** Runs n8n's command line; n8n must not be running on the same data. Throws NotReady with the end of the log. */
export type N8nCommand = (...args: string[]) => Promise<void>;

export function n8nCommand(
  runtime: N8nRuntime,
  env: Record<string, string>,
  log: string,
  signal: AbortSignal,
): N8nCommand {
  return async (...args) => {
    const options = { env, extendEnv: false, log, signal, timeoutMs: COMMAND_TIMEOUT_MS };
    const failure = await runLogged(runtime.node, [runtime.n8n, ...args], options);
    if (failure === undefined) return;
    throw new NotReady('n8n', `did not start: "n8n ${args[0]}" ended with ${failure}`, await readLogExcerpt(log));
  };
}

/** Workflows to import and activate, sub-workflows before those that start them, with their credentials. */
export interface Imports {
  workflows: { id: string; name: string; nodes: { type: string }[] }[];
  credentials: Credential[];
}

/**
 * Whether only other workflows start this one. Such a workflow is published like any other since n8n 2.0; n8n before refuses
 * to activate it, and runs it inactive (run: 0.221, 1.123, 2.41).
 */
export const isSubWorkflow = ({ nodes }: Imports['workflows'][number]): boolean =>
  nodes.some(({ type }) => type === SUB_WORKFLOW_TRIGGER) && !nodes.some(({ type }) => type === WEBHOOK_TYPE);

/** Whether a sub-workflow of this n8n must be published; undefined: a version that is not known, taken for today's. */
export const publishesSubWorkflows = (version: string | undefined): boolean =>
  version === undefined || semver.gte(version, '2.0.0');

/**
 * Imports workflows and credentials with n8n's command line and activates the workflows; n8n must not be running yet. The
 * command that activates is `publish:workflow` since 2.0, `update:workflow` before.
 * @param version of n8n
 * @param folder for the temporary files that the commands read
 */
export async function importAndActivate(
  n8n: N8nCommand,
  version: string,
  { workflows, credentials }: Imports,
  folder: string,
): Promise<void> {
  if (credentials.length > 0) await importCredentials(n8n, credentials, folder);
  await importJson(
    n8n,
    'import:workflow',
    workflows.map((workflow) => ({ ...workflow, active: false })),
    folder,
  );
  const activate = semver.gte(version, '2.0.0') ? ['publish:workflow'] : ['update:workflow', '--active=true'];
  for (const workflow of workflows)
    if (publishesSubWorkflows(version) || !isSubWorkflow(workflow))
      await n8n(activate[0]!, `--id=${workflow.id}`, ...activate.slice(1));
}

/** Imports credentials, which n8n encrypts; their plain values are in a file of `folder` meanwhile. */
async function importCredentials(n8n: N8nCommand, credentials: Credential[], folder: string): Promise<void> {
  // n8n below 1.0 requires nodesAccess.
  await importJson(
    n8n,
    'import:credentials',
    credentials.map((credential) => ({ ...credential, nodesAccess: [] })),
    folder,
  );
}

async function importJson(n8n: N8nCommand, command: string, entries: object[], folder: string): Promise<void> {
  const file = join(folder, 'import.json');
  try {
    await writeFile(file, JSON.stringify(entries), { mode: 0o600 });
    await n8n(command, `--input=${file}`);
  } finally {
    await rm(file, { force: true });
  }
}
