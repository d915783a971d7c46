/**
 * Writes workflows/before-1.113 from workflows: the same load targets with node versions that every n8n from 0.198 on supports.
 * `npm run workflows:older`; a test fails when these files are out of date.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const source = fileURLToPath(new URL('../workflows/', import.meta.url));
export const olderFolder = join(source, 'before-1.113');

/**
 * A workflow with version 1 of each node. Answers and cost should be the same, as far as the old n8n allows.
 * @param workflow a workflow as in workflows/; it is not changed
 */
export function toOlderForm(workflow) {
  return { ...workflow, nodes: workflow.nodes.map(toOlderNode) };
}

function toOlderNode(node) {
  const parameters = OLDER_PARAMETERS[node.type]?.(node.parameters) ?? node.parameters;
  return { ...node, typeVersion: 1, parameters };
}

/** Converts parameters to those of version 1, for each type of node whose parameters differ. */
const OLDER_PARAMETERS = {
  'n8n-nodes-base.set': ({ assignments }) => ({
    keepOnlySet: true,
    values: Object.fromEntries(
      [...new Set(assignments.assignments.map(({ type }) => type))].map((type) => [
        type,
        assignments.assignments.filter((each) => each.type === type).map(({ name, value }) => ({ name, value })),
      ]),
    ),
    options: {},
  }),
  'n8n-nodes-base.executeWorkflow': ({ workflowId }) => ({ workflowId: workflowId.value }),
  'n8n-nodes-base.executeWorkflowTrigger': () => ({}),
};

/** The text of the older file of each workflow, by path. */
export async function olderFiles() {
  const options = await resolveConfig(join(source, 'x.json'));
  const files = readdirSync(source).filter((name) => name.endsWith('.json'));
  const texts = files.map((name) => {
    const older = toOlderForm(JSON.parse(readFileSync(join(source, name), 'utf8')));
    return format(JSON.stringify(older), { ...options, parser: 'json' });
  });
  return Object.fromEntries((await Promise.all(texts)).map((text, i) => [join(olderFolder, basename(files[i])), text]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(olderFolder, { recursive: true, force: true });
  mkdirSync(olderFolder);
  for (const [path, text] of Object.entries(await olderFiles())) writeFileSync(path, text);
}
