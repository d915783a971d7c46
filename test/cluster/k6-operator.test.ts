import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { renderRelease } from '../../capacity/src/provision/kubernetes/render-release.js';
import { testRunOf } from '../../capacity/src/provision/kubernetes/k6-test-run.js';
import { LENIENT, runValidate, startValidate } from '../integration/cli.js';
import { helm } from '../support/tools.js';
import { kubectl, Namespace } from './support/namespace.js';
import { standInForOperator } from './support/operator.js';
import { runNamespaces } from './support/run-namespaces.js';

jest.setTimeout(600_000);

const CRD = fileURLToPath(new URL('crds/k6.io_testruns.yaml', import.meta.url));
const SHORT = [
  '--workload',
  'webhook-ack',
  '--rates',
  '6/s',
  '--step-duration',
  '10s',
  '--warmup',
  '2s',
  '--no-overload',
  ...LENIENT,
];
const several = (pods: number) => ['--provisioner', 'kubernetes', ...SHORT, '--generators', String(pods)];

test('several pods of k6: refused without the k6-operator; its definition takes the TestRun', async () => {
  const crd = 'testruns.k6.io';
  if (!(await kubectl(['get', 'crd', crd, '--ignore-not-found', '-o', 'name']))) {
    const { exitCode, stderr } = await startValidate(...several(3)).child;
    expect(exitCode).toBe(3);
    expect(stderr).toContain('--generators');
    // The test's own run deletes what bears its label.
    await kubectl(['create', '-f', CRD]);
    await kubectl(['label', 'crd', crd, `n8n-tuned.io/test-run=${process.env.CLUSTER_TEST_RUN}`]);
    await kubectl(['wait', `crd/${crd}`, '--for=condition=Established', '--timeout=30s']);
  }
  const { testRun } = await renderRelease(helm, { files: [], set: [] }, ['webhook-ack'], 3);
  const step = {
    load: {
      name: 'webhook-ack',
      parts: [{ workload: 'webhook-ack', weight: 1 }],
      serviceSeconds: {},
      executionSeconds: {},
    },
    ...{ rate: 3, stepSeconds: 8, warmupSeconds: 2, timeoutSeconds: 60, scriptEnv: {}, token: '' },
    arrivals: { kind: 'poisson' as const, seed: 1 },
    ...{ endpoints: ['http://n8n-tuned-main:5678'], folder: '', csv: '' },
  };
  const namespace = await Namespace.create('testrun');
  try {
    const object = JSON.stringify(testRunOf(testRun!, 'k6-step-00', step));
    const check = ['create', '--dry-run=server', '--validate=strict', '-f', '-'];
    expect(await namespace.kubectl(check, object)).toMatch(/^testrun\.k6\.io\/k6-step-00 created/);
  } finally {
    await namespace.delete();
  }
});

test('what several pods of k6 have seen becomes one step', async () => {
  const before = await runNamespaces();
  const left = async () => (await runNamespaces()).filter((name) => !before.includes(name));
  const end = new AbortController();
  const operator = standInForOperator(async (namespace) => (await left()).includes(namespace), end.signal);
  try {
    const run = await Promise.race([
      runValidate(...several(2)),
      operator.then(() => Promise.reject(new Error('ended'))),
    ]);
    const [step] = run.steps;
    // 99: its thresholds broke, as on a machine that is busy.
    expect([0, 99]).toContain(step!.k6.exitCode);
    expect(step!.k6.place).toMatch(/-node$/);
    const samples = gunzipSync(readFileSync(join(run.folder, step!.k6.samples))).toString();
    for (const pod of [1, 2]) expect(samples).toMatch(new RegExp(`^http_req_duration,.*instance_id=${pod}`, 'm'));
    // Each pod sends its share of the arrivals: together as many as one pod would.
    expect(Math.abs(step!.summary.offered - 60)).toBeLessThanOrEqual(2);
    expect(await left()).toEqual([]);
  } finally {
    end.abort();
    await operator.catch(() => {});
  }
});
