import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { LiveView } from '../../../capacity/src/run/live-view.js';
import { readBadges, contentOf, buildPassingRun, writeRun } from '../support/index.js';

let folder: string;
let view: LiveView;
/** No browser is waited for, unless the test says so. */
const open = (lastLookSeconds = 0) => LiveView.open(folder, 0, lastLookSeconds);
/** Long enough on any machine: the wait ends with what the test asks for. */
const UNTIL_LOOKED = 60;
/** Lets the view look at the record, which it does each second. */
const look = () => jest.advanceTimersByTime(1000);
beforeEach(async () => {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
  folder = await mkdtemp(join(tmpdir(), 'live-'));
  view = await open();
});
afterEach(async () => {
  await view.close();
  jest.useRealTimers();
  await rm(folder, { recursive: true });
});

/** Asks the view, with any name of the host, and resolves with the status. */
const statusFor = (host: string, method = 'GET'): Promise<number> =>
  new Promise((resolve, reject) => {
    request(view.url, { method, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });

/** The events of the view, as they come. */
async function* events(signal: AbortSignal): AsyncGenerator<string> {
  const response = await fetch(`${view.url}events`, { signal });
  const decoder = new TextDecoder();
  for await (const bytes of response.body!)
    yield* decoder
      .decode(bytes as Uint8Array)
      .split('\n\n')
      .filter((text) => text !== '');
}

test('before the run has a record, the page says what the command does', async () => {
  const page = await (await fetch(view.url)).text();
  expect(page).toContain("connect-src 'self'".replaceAll("'", '&#39;'));
  expect(readBadges(page)).toEqual([]);
});

test('the page shows what is recorded so far; a browser learns of progress and of each step', async () => {
  const stop = new AbortController();
  const stream = events(stop.signal);
  expect((await stream.next()).value).toBe('event: progress\ndata: starting');
  view.follow(terminalProgress(true)).update('\u001b[32mfirst\u001b[0m\nstep');
  expect((await stream.next()).value).toBe('event: progress\ndata: first step');
  await writeRun(folder, buildPassingRun());
  look();
  expect((await stream.next()).value).toBe('event: changed\ndata: ');
  const page = await (await fetch(view.url)).text();
  expect(readBadges(page).slice(0, 2)).toEqual(['RUNNING', 'RUNNING']);
  expect(contentOf(page)).toContain('id="live"');
  await appendFile(join(folder, 'steps.ndjson'), '{"cut');
  look();
  expect((await stream.next()).value).toBe('event: changed\ndata: ');
  stop.abort();
});

test('it shows the work of the run, and its errors reach the caller', async () => {
  const progress = view.follow(terminalProgress(true));
  await expect(progress.during('installing', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const stop = new AbortController();
  expect((await events(stop.signal).next()).value).toBe('event: progress\ndata: installing');
  stop.abort();
});

test('at the end a browser gets the report itself, which asks for no more', async () => {
  await view.close();
  view = await open(UNTIL_LOOKED);
  await writeRun(folder, buildPassingRun());
  await writeFile(join(folder, 'report.html'), 'the report');
  const stop = new AbortController();
  const stream = events(stop.signal);
  await stream.next();
  const closing = view.close();
  expect((await stream.next()).value).toBe('event: changed\ndata: ');
  expect(await (await fetch(view.url)).text()).toBe('the report');
  stop.abort();
  await closing;
  await expect(fetch(view.url)).rejects.toThrow();
});

test('a browser that loads the page just before the end gets the report, too', async () => {
  await view.close();
  view = await open(UNTIL_LOOKED);
  await writeRun(folder, buildPassingRun());
  expect(contentOf(await (await fetch(view.url)).text())).toContain('id="live"');
  await writeFile(join(folder, 'report.html'), 'the report');
  const closing = view.close();
  const stop = new AbortController();
  expect((await events(stop.signal).next()).value).toBe('event: changed\ndata: ');
  expect(await (await fetch(view.url)).text()).toBe('the report');
  stop.abort();
  await closing;
});

test('only this machine may look, and only look', async () => {
  expect(await statusFor('evil.example:80')).toBe(403);
  expect(await statusFor('localhost:1')).toBe(200);
  expect(await statusFor('127.0.0.1', 'POST')).toBe(405);
  expect((await fetch(`${view.url}run.json`)).status).toBe(404);
  expect(new URL(view.url).hostname).toBe('127.0.0.1');
});

test('a record that is damaged is an error on the page, not the end of the run', async () => {
  await writeFile(join(folder, 'run.json'), '{');
  expect((await fetch(view.url)).status).toBe(500);
});

test('a port that is taken is refused', async () => {
  await expect(LiveView.open(folder, Number(new URL(view.url).port))).rejects.toBeInstanceOf(UsageError);
});
