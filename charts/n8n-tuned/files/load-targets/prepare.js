'use strict';
/*
 * Prepares a pod for the load targets before n8n starts. On every pod it unpacks the node package and links it into n8n's
 * folder of community nodes, so that n8n's own folder contains only a link. With IMPORT it also imports the credential and
 * the workflows with n8n's command line. It skips the import if the database already contains exactly these, since an
 * import removes their webhooks until n8n has started. load-targets.js activates them.
 *
 * Run by an init container, with the Node.js and n8n of n8n's own image (Node 18 or newer).
 * Environment: SOURCE, folder of the files to read; TARGET, folder to unpack into; N8N_USER_FOLDER; IMPORT, names of
 * workflows, separated by commas; LOAD_TARGET_TOKEN.
 */
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const { SOURCE, TARGET, N8N_USER_FOLDER, IMPORT, LOAD_TARGET_TOKEN } = process.env;
const TRIES = 20;
const PAUSE_MS = 5000;

const read = (name) => JSON.parse(readFileSync(join(SOURCE, name), 'utf8'));

function installNode() {
  for (const [path, text] of Object.entries(read('n8n-nodes-tuned.json'))) {
    mkdirSync(dirname(join(TARGET, path)), { recursive: true });
    writeFileSync(join(TARGET, path), text);
  }
  const link = join(N8N_USER_FOLDER, '.n8n/nodes/node_modules/n8n-nodes-tuned');
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { recursive: true, force: true });
  symlinkSync(TARGET, link);
}

function importWorkflows() {
  const { prefix, credential } = read('load-targets.json');
  const workflows = IMPORT.split(',').map((name) => read(`${name}.json`));
  // The name contains a digest of the content, so that n8n's list of names shows whether an import is needed.
  const content = createHash('sha256')
    .update(JSON.stringify([workflows, LOAD_TARGET_TOKEN]))
    .digest('hex')
    .slice(0, 8);
  for (const workflow of workflows) workflow.name += ` (${content})`;

  const names = new Map(
    patiently('list:workflow')
      .split('\n')
      .map((line) => line.trim().split('|', 2)),
  );
  for (const { id, name } of workflows) {
    if (!names.has(id) || names.get(id).startsWith(prefix)) continue;
    throw new Error(
      `workflow ${id} is "${names.get(id)}", which is not a load target. It has the id of ${name} and is not overwritten`,
    );
  }
  if (workflows.every(({ id, name }) => names.get(id) === name)) {
    console.log(`${workflows.length} load targets are there already (${content})`);
    return;
  }
  // n8n below 1.0 requires nodesAccess.
  const data = { name: credential.header, value: LOAD_TARGET_TOKEN };
  importJson('import:credentials', [{ ...credential, header: undefined, data, nodesAccess: [] }]);
  importJson('import:workflow', workflows);
  console.log(`imported ${workflows.length} load targets (${content})`);
}

function importJson(command, entries) {
  const file = join(TARGET, 'import.json');
  try {
    writeFileSync(file, JSON.stringify(entries), { mode: 0o600 });
    const { ok, output } = n8n(command, `--input=${file}`);
    // n8n exits with 0 even after some errors.
    if (!ok || !output.includes('Successfully imported')) throw new Error(`n8n ${command} failed:\n${output}`);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Repeats a command until it succeeds: the first one waits for the database and migrates it. */
function patiently(...command) {
  for (let attempt = 1; ; attempt++) {
    const { ok, output } = n8n(...command);
    if (ok) return output;
    if (attempt === TRIES) throw new Error(`n8n ${command.join(' ')} failed ${TRIES} times:\n${output}`);
    console.log(
      `n8n ${command.join(' ')} failed, retrying in ${PAUSE_MS / 1000} s: ${output.trim().split('\n').pop()}`,
    );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function n8n(...args) {
  const env = {
    ...process.env,
    // This script reads the output.
    ...{ N8N_LOG_LEVEL: 'info', N8N_LOG_OUTPUT: 'console', N8N_LOG_FORMAT: 'text', NO_COLOR: '1' },
    LOAD_TARGET_TOKEN: undefined,
  };
  const { status, stdout, stderr, error } = spawnSync('n8n', args, {
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return { ok: status === 0, output: stdout + stderr };
}

try {
  installNode();
  if (IMPORT) importWorkflows();
} catch (error) {
  console.error(`load targets: ${error.message}`);
  process.exit(1);
}
