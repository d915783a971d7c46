import { jest } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import type { Browser, Page } from 'playwright-core';
import { workflowsFolder } from '../../../capacity/src/core/paths.js';
import { scratchFolder, sweepFolders } from '../../../capacity/src/provision/leftovers.js';
import { openPage } from '../../browser/chromium.js';
import { canvasNode, executeWorkflow, importFromFile, openNewWorkflow } from '../../browser/editor/canvas.js';
import * as credential from '../../browser/editor/credential.js';
import { closeNode, executeStep, openNode, outputItems, parameter } from '../../browser/editor/details.js';
import { addNodeByAction, foundNode, searchNode } from '../../browser/editor/node-panel.js';
import { setUpOwner } from '../../browser/editor/owner.js';
import { byTestId } from '../../browser/editor/test-id.js';
import { startN8n, type RunningN8n } from '../../browser/n8n.js';
import { takeDocumentPicture, takePicture } from '../../browser/pictures.js';
import { startRedis, type RunningRedis } from '../../browser/redis.js';
import { createStory } from '../../browser/story.js';

/** The first steps of a new user with the package, in the editor of a real n8n. */

jest.setTimeout(240_000);

const JOBS = { waiting: 42, delayed: 3 };
const CREDENTIAL = 'n8n-tuned load target';
const TOKEN = 'a-secret-of-your-own';

let folder: string;
let n8n: RunningN8n;
let redis: RunningRedis;
let browser: Browser;
let page: Page;
/** Files of the package that the editor requested and did not get, mostly icons. */
const missing: string[] = [];

beforeAll(async () => {
  await sweepFolders();
  folder = await scratchFolder();
  redis = await startRedis(folder, JOBS);
  n8n = await startN8n(folder);
  ({ browser, page } = await openPage());
  page.on('response', (response) => {
    if (response.status() >= 400 && response.url().includes('n8n-nodes-tuned')) missing.push(response.url());
  });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([n8n?.stop(), redis?.stop()]);
  if (folder) await rm(folder, { recursive: true, force: true });
});

const step = createStory(() => page);

/** Lines of n8n's log about the package or about errors. */
const complaints = async (): Promise<string[]> =>
  (await n8n.log()).split('\n').filter((line) => /n8n-nodes-tuned|failed to load|\bError\b/.test(line));

step('a new n8n loads the package without a word, and takes its owner', async () => {
  expect(await complaints()).toEqual([]);
  await setUpOwner(page, n8n.url);
});

step('a workflow is imported from its file, and its nodes are known', async () => {
  await openNewWorkflow(page, n8n.url);
  await importFromFile(page, join(workflowsFolder, 'webhook-wait.json'));
  await canvasNode(page, 'Webhook').waitFor();
  await canvasNode(page, 'Load Target').locator('img[src$="loadTarget.svg"]').waitFor();
  await byTestId(page, 'sticky').getByText('Costs').waitFor();
  await takePicture(page, 'imported');
});

step('the Load Target shows its parameters', async () => {
  await openNode(page, 'Load Target');
  expect(await parameter(page, 'operation').locator('input').inputValue()).toBe('Wait');
  expect(await parameter(page, 'milliseconds').innerText()).toContain('{{ ($json.query.seconds || 5) * 1000 }}');
  await closeNode(page);
});

step('the one credential is made in the Webhook node, which then has it', async () => {
  await openNode(page, 'Webhook');
  await credential.openNewCredential(page);
  await credential.renameCredential(page, CREDENTIAL);
  await credential.fillFields(page, { name: 'x-load-target-token', value: TOKEN });
  await takePicture(page, 'header-auth');
  await credential.saveCredential(page);
  await credential.dialog(page).waitFor({ state: 'hidden' });
  await credential.waitUntilChosen(page, CREDENTIAL);
  await closeNode(page);
});

step('executed, it refuses a call without the header, and waits for one with it', async () => {
  const call = (headers: Record<string, string>) =>
    fetch(`${n8n.url}/webhook-test/webhook-wait?seconds=0.2`, { headers });
  await executeWorkflow(page);
  await canvasNode(page, 'Webhook').getByText('Waiting for you to call the Test URL').first().waitFor();
  expect((await call({})).status).toBe(403);
  const answer = await call({ 'x-load-target-token': TOKEN });
  expect(answer.status).toBe(200);
  const proof = await answer.json();
  expect(proof).toMatchObject({ operation: 'wait', ms: 200, identity: { component: 'main' } });

  await byTestId(canvasNode(page, 'Load Target'), 'canvas-node-status-success').waitFor();
  await takePicture(page, 'executed');
  await openNode(page, 'Load Target');
  const items = await outputItems(page);
  expect(items).toEqual([proof]);
  expect((items[0] as { tookMs: number }).tookMs).toBeGreaterThanOrEqual(200);
  await takeDocumentPicture(page, 'editor-load-target');
  await closeNode(page);
});

step('a workflow imported later needs no more than a look: n8n chooses the only credential of the kind', async () => {
  await openNewWorkflow(page, n8n.url);
  await importFromFile(page, join(workflowsFolder, 'webhook-ack.json'));
  await openNode(page, 'Webhook');
  await credential.waitUntilChosen(page, CREDENTIAL);
  await closeNode(page);
});

step('the node panel finds Load Target, and Bull Queue with its trigger', async () => {
  await openNewWorkflow(page, n8n.url);
  for (const name of ['Load Target', 'Bull Queue']) {
    await searchNode(page, name);
    await foundNode(page, name).waitFor();
    await takePicture(page, `found-${name.replace(' ', '-').toLowerCase()}`);
  }
});

step('Bull Queue is added by an action', async () => {
  await addNodeByAction(page, 'Bull Queue', 'Get stats of the queue');
  await byTestId(page, 'ndv').waitFor();
  expect(await parameter(page, 'operation').locator('input').inputValue()).toBe('Get Stats');
  await takePicture(page, 'bull-queue-added');
});

step('its credential says why it does not work, and then that it does', async () => {
  await credential.openNewCredential(page);
  await credential.renameCredential(page, 'n8n-tuned queue');
  const closed = await getPort();
  await credential.fillFields(page, { host: '127.0.0.1', port: String(closed) });
  await credential.saveCredential(page);
  expect(await credential.readRefusal(page)).toContain(`127.0.0.1:${closed}`);
  await takePicture(page, 'credential-refused');

  await credential.fillFields(page, { port: String(redis.port) });
  await credential.saveCredential(page);
  await credential.dialog(page).waitFor({ state: 'hidden' });
  await credential.openCredential(page);
  await credential.waitUntilAccepted(page);
  await takeDocumentPicture(page, 'editor-credential');
  await credential.closeDialog(page);
});

step('Bull Queue says how the queue fares', async () => {
  await parameter(page, 'window').locator('input').fill('1000');
  await executeStep(page);
  const items = await outputItems(page);
  await takeDocumentPicture(page, 'editor-bull-queue');
  const rates = expect.objectContaining({ addedPerSecond: 0, finishedPerSecond: 0 });
  expect(items).toEqual([expect.objectContaining({ ...JOBS, active: 0, isPaused: false, added: 45, rates })]);
  await closeNode(page);
});

step('after all that, n8n has said nothing, and has served all files of the package', async () => {
  expect(await complaints()).toEqual([]);
  expect(missing).toEqual([]);
});
