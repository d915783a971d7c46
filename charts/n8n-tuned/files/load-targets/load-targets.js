'use strict';
/*
 * External hook of n8n on main, called by hooks.js. When n8n is ready, and before it registers webhooks, the hook activates the load
 * targets of LOAD_TARGETS (ids, separated by commas; sub-workflows below n8n 2.0 stay inactive) and deletes the others. If LOAD_TARGETS
 * is empty and it deletes some, the credential and the link to the node go with them. A workflow is a load target if both its id and the
 * beginning of its name match. Only those are deleted that prepare.js has imported, which ends their names with a digest: one that a
 * user has imported stays.
 */
const { lstatSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const { prefix, credential, ids, inactive } = JSON.parse(readFileSync(join(__dirname, 'load-targets.json'), 'utf8'));
/** The digest of the content with which prepare.js ends a name. */
const IMPORTED = / \([0-9a-f]{8}\)$/;
const wanted = (process.env.LOAD_TARGETS || '').split(',').filter(Boolean);

async function keepWanted({ Workflow, Credentials }) {
  const workflows = (await Workflow.find({ where: ids.map((id) => ({ id })) })).filter(({ name }) =>
    name.startsWith(prefix),
  );
  const active = workflows.filter(({ id }) => wanted.includes(id) && !inactive.includes(id));
  for (const workflow of active) await activate(Workflow, workflow);
  const missing = wanted.filter((id) => !workflows.some((workflow) => workflow.id === id));
  if (missing.length > 0)
    console.error(`load targets: workflow ${missing.join(', ')} not found; restart main to import it again`);

  const unwanted = workflows.filter(({ id, name }) => !wanted.includes(id) && IMPORTED.test(name)).map(({ id }) => id);
  if (unwanted.length === 0) return;
  for (const id of unwanted) await remove(Workflow, id);
  console.log(`load targets: deleted the workflows ${unwanted.join(', ')}`);
  if (wanted.length > 0) return;
  await Credentials.delete({ id: credential.id, name: credential.name });
  unlink(join(process.env.N8N_USER_FOLDER, '.n8n/nodes/node_modules/n8n-nodes-tuned'));
}

const isVersioned = (Workflow) =>
  Workflow.metadata.columns.some(({ propertyName }) => propertyName === 'activeVersionId');

/** Like "n8n publish:workflow", or "n8n update:workflow --active=true" in versions without workflow versions. */
async function activate(Workflow, { id, active, versionId }) {
  if (active) return;
  await Workflow.update({ id }, { active: true, ...(isVersioned(Workflow) && { activeVersionId: versionId }) });
}

/** Deletes a workflow and, by cascade, its executions. Some rows must go first, since they block the deletion. */
async function remove(Workflow, id) {
  await Workflow.manager.transaction(async (manager) => {
    for (const entity of ['WebhookEntity', 'WorkflowPublishedVersion']) {
      if (manager.connection.hasMetadata(entity)) await manager.delete(entity, { workflowId: id });
    }
    await manager.update(
      Workflow.target,
      { id },
      { active: false, ...(isVersioned(Workflow) && { activeVersionId: null }) },
    );
    await manager.delete(Workflow.target, { id });
  });
}

/** Removes the link. A folder at this path was installed by the user and stays. */
function unlink(path) {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
}

exports.n8n = {
  ready: [
    async function () {
      try {
        await keepWanted(this.dbCollections);
      } catch (error) {
        // n8n must start even if the load targets fail.
        console.error(`load targets: ${error.stack}`);
      }
    },
  ],
};
