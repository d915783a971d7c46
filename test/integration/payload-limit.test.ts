import type { StepRecord } from '../../capacity/src/model/step.js';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { RunConclusion } from '../../capacity/src/model/verdict.js';
import { cli, expectNothingLeft, readJsonLines } from './cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

/**
 * Megabytes of the load targets' ceiling, below its default of 1024. It ends the search before that ceiling, not n8n, is
 * the limit.
 */
const MOST = 256;

test("with a small heap, V8's limit bounds the payload; each try is recorded, and report repeats the result", async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'payload-limit-'));
  const [folder, values] = [join(scratch, 'run'), join(scratch, 'values.yaml')];
  writeFileSync(values, `extraEnv: [{name: N8N_LOAD_TARGET_MAX_MEGABYTES, value: "${MOST}"}]\n`);
  const { exitCode, stdout, stderr } = await cli(
    ...['payload-limit', '-f', values, '--concurrency', '1', '--hold', '500ms', '-o', folder, '--json'],
    ...['--set', 'main.resources.limits.memory=1Gi', '--set', 'main.heap.n8n=330'],
  );
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { verdict } = JSON.parse(stdout) as RunConclusion;
  const [found] = verdict.payloadLimits!;
  expect({ verdict: verdict.verdict, found }).toMatchObject({
    verdict: 'PASS',
    found: { clients: 1, verdict: 'PASS', limit: 'V8HeapLimit' },
  });
  const { survivedMiB: survived, brokeMiB: broke, tries } = found!;
  expect(survived).toBeGreaterThanOrEqual(16);
  expect(broke).toBeLessThan(330);
  expect(broke! - survived!).toBeLessThanOrEqual(16);
  expect(Math.max(...tries.map(({ payloadMiB }) => payloadMiB))).toBeLessThanOrEqual(MOST);
  const steps = readJsonLines<StepRecord>(join(folder, 'steps.ndjson'));
  expect(steps.map((s) => s.payloadMiB)).toEqual(tries.map((t) => t.payloadMiB));
  expect(JSON.parse(readFileSync(join(folder, 'verdict.json'), 'utf8'))).toEqual(verdict);
  const again = await cli('report', folder, '--json');
  expect((JSON.parse(again.stdout) as RunConclusion).verdict).toEqual(verdict);
});
