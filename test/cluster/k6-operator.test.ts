import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { reasonCodes, LENIENT, runValidate, startValidate, waitForFile } from '../integration/cli.js';
import { installAddon } from './support/addon.js';
import { eventually, report } from './support/eventually.js';
import { testWithoutK6Operator } from './support/k6-operator.js';
import { kubectl, type Manifest } from './support/namespace.js';
import { runNamespaces } from './support/run-namespaces.js';

jest.setTimeout(900_000);

const SHORT = ['--workload', 'webhook-ack', '--rates', '6/s', '--warmup', '2s', '--no-overload', ...LENIENT];
const several = (pods: number, seconds: number) => [
  ...['--provisioner', 'kubernetes', ...SHORT, '--step-duration', `${seconds}s`, '--generators', String(pods)],
];

let before: string[];
beforeEach(async () => void (before = await runNamespaces()));
const left = async () => (await runNamespaces()).filter((name) => !before.includes(name));

await testWithoutK6Operator('validate refuses several pods of k6 without the k6-operator', async () => {
  const { exitCode, stderr } = await startValidate(...several(3, 10)).child;
  expect(exitCode).toBe(3);
  expect(stderr).toContain('--generators');
});

describe('with the k6-operator', () => {
  beforeAll(() => installAddon('k6-operator'));

  test('what three pods of k6 have seen becomes one step', async () => {
    const run = await runValidate(...several(3, 30));
    const [step] = run.steps;
    // 99: its thresholds broke, as on a machine that is busy.
    expect([0, 99]).toContain(step!.k6.exitCode);
    expect(step!.k6.place).toMatch(/-node$/);
    const samples = gunzipSync(readFileSync(join(run.folder, step!.k6.samples))).toString();
    for (const pod of [1, 2, 3]) expect(samples).toMatch(new RegExp(`^http_req_duration,.*instance_id=${pod}`, 'm'));
    // Each pod sends its share of the arrivals: together as many as one pod would.
    expect(Math.abs(step!.summary.offered - 180)).toBeLessThanOrEqual(3);
    expect(step!.executions!.completed).toBe(step!.executions!.accepted);
    expect(run.conclusion.verdict.verdict).toBe('PASS');
    report(`three pods of k6: ${step!.summary.answered} answers of ${step!.summary.offered} planned`);
    expect(await left()).toEqual([]);
  });

  test('a pod of k6 that is killed makes the run INCONCLUSIVE', async () => {
    const started = startValidate('--json', ...several(3, 60));
    await waitForFile(started, 'run.json');
    const [namespace] = await left();
    const runners = ['--namespace', namespace!, 'get', 'pods', '--selector', 'runner=true', '-o', 'json'];
    const [victim] = await eventually('three pods of k6 run', 300, async () => {
      const { items }: { items: Manifest[] } = JSON.parse(await kubectl(runners));
      return items.filter(({ status }) => status.phase === 'Running').length === 3 && items;
    });
    const starter = ['--namespace', namespace!, 'get', 'pods', '-o', 'json'];
    await eventually('the starter has ended', 120, async () => {
      const { items }: { items: Manifest[] } = JSON.parse(await kubectl(starter));
      return items.some(({ metadata, status }) => /-starter-/.test(metadata.name) && status.phase === 'Succeeded');
    });
    await kubectl(['--namespace', namespace!, 'delete', 'pod', victim!.metadata.name, '--grace-period=0', '--force']);
    const { exitCode, stdout } = await started.child;
    const { verdict } = JSON.parse(stdout);
    expect({ exitCode, verdict: verdict.verdict }).toEqual({ exitCode: 2, verdict: 'INCONCLUSIVE' });
    expect(reasonCodes(verdict)).toContain('generator');
    expect(JSON.stringify(verdict)).toContain(victim!.metadata.name);
    expect(await left()).toEqual([]);
  });
});
