'use strict';
/*
 * External hooks of n8n on main, called by ../hooks.js. When n8n is ready, and before it registers webhooks, the load
 * targets named by LOAD_TARGETS (ids, separated by commas) are made active, and all others of this chart are deleted:
 * without LOAD_TARGETS every one, with the credential and the link to the node. A workflow counts as a load target by
 * its id and the beginning of its name together.
 */
const { lstatSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const { prefix, credential, ids } = JSON.parse(readFileSync(join(__dirname, 'load-targets.json'), 'utf8'));
const wanted = (process.env.LOAD_TARGETS || '').split(',').filter(Boolean);

async function keepWanted({ Workflow, Credentials }) {
  const workflows = (await Workflow.find({ where: ids.map((id) => ({ id })) })).filter(({ name }) =>
    name.startsWith(prefix),
  );
  for (const workflow of workflows.filter(({ id }) => wanted.includes(id))) await activate(Workflow, workflow);
  const missing = wanted.filter((id) => !workflows.some((workflow) => workflow.id === id));
  if (missing.length > 0)
    console.error(`load targets: no workflow ${missing.join(', ')}; a new pod of main brings them back`);

  const unwanted = workflows.map(({ id }) => id).filter((id) => !wanted.includes(id));
  if (unwanted.length > 0) {
    for (const id of unwanted) await remove(Workflow, id);
    console.log(`load targets: deleted the workflows ${unwanted.join(', ')}`);
  }
  if (wanted.length > 0) return;
  await Credentials.delete({ id: credential.id, name: credential.name });
  unlink(join(process.env.N8N_USER_FOLDER, '.n8n/nodes/node_modules/n8n-nodes-tuned'));
}

const isVersioned = (Workflow) =>
  Workflow.metadata.columns.some(({ propertyName }) => propertyName === 'activeVersionId');

/** As "n8n publish:workflow" does, and "update:workflow --active=true" before n8n had versions of workflows. */
async function activate(Workflow, { id, active, versionId }) {
  if (active) return;
  await Workflow.update({ id }, { active: true, ...(isVersioned(Workflow) && { activeVersionId: versionId }) });
}

/** With its executions, which the database deletes along with it. Some rows keep their workflow from being deleted. */
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

/** What is no link was installed by somebody else. */
function unlink(path) {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
}

exports.n8n = {
  ready: [
    async function () {
      try {
        await keepWanted(this.dbCollections);
      } catch (error) {
        // Load targets are never worth an n8n that does not start.
        console.error(`load targets: ${error.stack}`);
      }
    },
  ],
};
