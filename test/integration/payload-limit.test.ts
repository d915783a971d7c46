import type { StepRecord } from '../../capacity/src/model/step.js';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import type { RunConclusion } from '../../capacity/src/model/verdict.js';
import { BIN, leftovers, lines } from './cli.js';

jest.setTimeout(600_000);

let before: string[];
beforeEach(() => void (before = leftovers()));
afterEach(() => expect(leftovers().filter((left) => !before.includes(left))).toEqual([]));

const folderFor = (name: string) => join(mkdtempSync(join(tmpdir(), 'ceiling-')), name);
const run = (...args: string[]) => execa(process.execPath, [BIN, ...args], { reject: false, stdin: 'ignore' });
const SMALL = ['--set', 'main.resources.limits.memory=1Gi', '--set', 'main.heap.n8n=330', '--hold', '500ms'];

test("a small heap: V8's limit ends the payloads above it, each try is recorded, report says the same", async () => {
  const folder = folderFor('run');
  const { exitCode, stdout, stderr } = await run(
    'payload-limit',
    ...SMALL,
    '--concurrency',
    '1',
    '-o',
    folder,
    '--json',
  );
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { verdict } = JSON.parse(stdout) as RunConclusion;
  const [found] = verdict.payloadLimits!;
  expect({ verdict: verdict.verdict, found }).toMatchObject({
    verdict: 'PASS',
    found: { clients: 1, limit: 'V8HeapLimit' },
  });
  const { survivedMiB: survived, brokeMiB: broke, tries, text } = found!;
  expect(survived).toBeGreaterThanOrEqual(16);
  expect(broke).toBeLessThan(330);
  expect(broke! - survived!).toBeLessThanOrEqual(16);
  expect(text).toMatch(/V8's heap limit of 330 MiB, in a container of 1024 MiB; main\.heap\.n8n sets it/);
  const steps = lines<StepRecord>(join(folder, 'steps.ndjson'));
  expect(steps.map((s) => s.payloadMiB)).toEqual(tries.map((t) => t.payloadMiB));
  expect(JSON.parse(readFileSync(join(folder, 'verdict.json'), 'utf8'))).toEqual(verdict);
  const again = await run('report', folder, '--json');
  expect((JSON.parse(again.stdout) as RunConclusion).verdict).toEqual(verdict);
});

test("the load target's own ceiling is named when it, not n8n, is the limit", async () => {
  const values = folderFor('values.yaml');
  writeFileSync(values, 'extraEnv: [{name: N8N_LOAD_TARGET_MAX_MEGABYTES, value: "40"}]\n');
  const lowered = ['-f', values, '--hold', '200ms'];
  const { exitCode, stdout, stderr } = await run(
    'payload-limit',
    ...lowered,
    '--concurrency',
    '1,2',
    '-o',
    folderFor('run'),
  );
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/1 at once: 40 MiB survive, all that N8N_LOAD_TARGET_MAX_MEGABYTES=40 lets load targets hold/);
  expect(stdout).toMatch(/2 at once: 2 × 20 MiB survive.*that is the limit, not n8n; raise it, up to 1024/);
});

test.each([
  [['--concurrency', '65'], /--concurrency: "65" is not allowed; write a whole number from 1 to 64/],
  [['--set', 'main.heap.n8n=100'], /the chart refuses these values/],
])('%j: exit code 3 before anything starts', async (args, message) => {
  const { exitCode, stderr } = await run('payload-limit', '-o', folderFor('run'), ...args);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(message);
});
