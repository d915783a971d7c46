import { jest } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixWorkflow } from '../../capacity/src/workflow/check/fix.js';
import { createN8n, type N8n } from './workflows/n8n.js';
import { runtimes } from './workflows/runtimes.js';

jest.setTimeout(300_000);

/** Texts of fields, as people write them in the editor. */
const TEXTS = [
  '=Hello',
  '=  two  spaces ',
  '=50 % of "all" \\ = 5 €',
  '=a\nb',
  '={{ 1 + 1 }}',
  '=total {{ 2 }}',
  'plain',
  '=',
  '=true',
];
const SET = 'Edit Fields';

const workflow = {
  id: '9001',
  name: 'texts',
  nodes: [
    { id: '1', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
    {
      id: '2',
      name: SET,
      type: 'n8n-nodes-base.set',
      typeVersion: 3.4,
      position: [200, 0],
      parameters: {
        assignments: {
          assignments: TEXTS.map((value, i) => ({ id: `a${i}`, name: `text${i}`, type: 'string', value })),
        },
        options: {},
      },
    },
  ],
  connections: { Start: { main: [[{ node: SET, type: 'main', index: 0 }]] } },
  settings: {},
};

const folder = mkdtempSync(join(tmpdir(), 'check-fix-'));
let n8n: N8n | undefined;
afterAll(async () => {
  await n8n?.remove();
  rmSync(folder, { recursive: true });
});

test('a workflow gives the same items after --fix changed it', async () => {
  const { workflow: fixed, fixed: changes } = fixWorkflow(workflow as never) as {
    workflow: typeof workflow;
    fixed: unknown[];
  };
  expect(changes).toHaveLength(1);
  n8n = await createN8n(runtimes.at(-1)!);
  const file = join(folder, 'workflows.json');
  writeFileSync(file, JSON.stringify([workflow, { ...fixed, id: '9002', name: 'fixed' }]));
  await n8n.command('import:workflow', `--input=${file}`);
  const before = await n8n.execute('9001', SET);
  expect(before[0]).toMatchObject({ text0: 'Hello', text4: '2', text5: 'total 2', text6: 'plain' });
  expect(await n8n.execute('9002', SET)).toEqual(before);
});
