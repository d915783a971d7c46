import { jest } from '@jest/globals';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { report, secondsOf } from './support/eventually.js';
import { Release } from './support/release.js';

jest.setTimeout(600_000);

const repository = fileURLToPath(new URL('../..', import.meta.url));
const NODE = 'charts/n8n-tuned/files/n8n-nodes-tuned.json';
/** The last commit of the chart before what UPGRADING.md lists since 0.1.0. */
const BEFORE = 'ccc6256f00c5ee6c7850b140004e62b302a5a27f';
const PROFILE = 'profiles/queue.yaml';
const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
/** Requests that leave room on two cores for what is surged. */
const values = {
  loadTargets: { enabled: true },
  main: requests('100m'),
  worker: requests('150m'),
  webhook: requests('250m'),
  postgresql: requests('150m'),
};

const folder = mkdtempSync(join(tmpdir(), 'older-chart-'));
let release: Release;
beforeAll(async () => {
  // Its links to workflows and load tests lead out of it.
  const archive = join(folder, 'chart.tar');
  const paths = ['charts/n8n-tuned', 'loadtests', 'workflows'];
  await execa('git', ['-C', repository, 'archive', '--output', archive, BEFORE, ...paths]);
  await execa('tar', ['-xf', archive, '-C', folder]);
  cpSync(join(repository, NODE), join(folder, NODE));
  release = await Release.create('older-chart');
  await release.install(values, PROFILE, join(folder, 'charts/n8n-tuned'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await release?.delete();
});

test('an upgrade from the chart before, under load: each request that was answered was executed, and no execution is lost', async () => {
  await release.answers();
  const key = await release.encryptionKey();
  const before = (await release.executions()).success ?? 0;
  const load = await release.load('webhook-ack', 3);
  const seconds = await secondsOf(() => release.upgrade(values, PROFILE));
  await release.answers();
  const samples = await load.stop();
  report(`upgrade from ${BEFORE.slice(0, 7)}: ${seconds} s, ${samples.toString()}, out for ${samples.outageSeconds} s`);

  expect(await release.encryptionKey()).toBe(key);
  const answered = samples.requests.length - samples.failed.length;
  expect(answered).toBeGreaterThan(seconds);
  expect((await release.allSucceeded(60)) - before).toBeGreaterThanOrEqual(answered);
  // The embedded Redis gets a limit of its memory, and so a new pod: what comes meanwhile is refused, and not lost.
  expect(samples.outageSeconds).toBeLessThan(60);
});
