import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { parse } from 'yaml';
import { chartFolder } from '../../../capacity/src/core/paths.js';
import { helm } from '../../support/tools.js';
import { expectNothingLeft, LENIENT, runValidate, SLOW } from '../cli.js';
import { TESTED_N8N } from '../../support/versions.js';

jest.setTimeout(600_000);

expectNothingLeft();

test('regular mode: validate deploys n8n 2.41.1 as the chart does, drives two workloads and records everything', async () => {
  const run = await runValidate(
    ...['--workload', 'webhook-ack', '--workload', 'webhook-wait', '--query', 'seconds=1'],
    ...[...SLOW, ...LENIENT],
    ...['--set', 'extraEnv[0].name=WHO_KNOWS,extraEnv[0].value=hunter2'],
  );
  expect({ exitCode: run.exitCode, verdict: run.conclusion.verdict }).toMatchObject({
    exitCode: 0,
    verdict: { verdict: 'PASS', loads: [{ capacity: 2 }, { capacity: 2 }] },
  });
  expect(run.run).toMatchObject({
    versions: { n8n: TESTED_N8N, k6: '2.2.0' },
    deployment: { mode: 'regular', process: 'main' },
  });
  expect(run.steps.map((s) => [s.load, s.rate])).toEqual([
    ['webhook-ack', 2],
    ['webhook-wait', 2],
  ]);
  for (const step of run.steps) {
    // The second count is exact: n8n reports as completed all executions that it answered to k6.
    expect(step.executions!.completed).toBe(step.executions!.accepted);
    expect(step.summary.answered).toBe(step.summary.offered);
    expect(step.summary).toMatchObject({ failed: 0, dropped: 0 });
  }
  expect(Math.max(...run.samples.map((s) => s.instances[0]!.rssBytes))).toBeGreaterThan(200 * 2 ** 20);
  expect(run.samples.some((s) => (s.instances[0]!.heapUsedBytes ?? 0) > 0)).toBe(true);

  // Chart and record agree, the chart accepts the recommended values, and no file that users share holds the secret.
  const recommended = parse(readFileSync(join(run.folder, 'values.held.yaml'), 'utf8')) as {
    main: { heap: { n8n: number } };
  };
  expect(recommended.main.heap.n8n).toBe(run.run.deployment.instances[0]!.heapMiB);
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', join(run.folder, 'values.held.yaml')]);
  for (const name of ['run.json', 'report.html', 'verdict.json'])
    expect(readFileSync(join(run.folder, name), 'utf8')).not.toContain('hunter2');
});
