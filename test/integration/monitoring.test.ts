import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import Bull from 'bull';
import { execa } from 'execa';
import pg from 'pg';
import { stringify } from 'yaml';
import type { ProcessObserver } from '../../capacity/src/observe/process-observer.js';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import type { Deployment, PostgresAddress, RedisAddress } from '../../capacity/src/model/deployment.js';
import { provisionProcesses } from '../../capacity/src/provision/process/deploy.js';
import { loadTargets } from '../../capacity/src/provision/load-targets.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { chart, find, type Manifest, queue, render, RELEASE, type Values } from '../chart/render.js';
import { alerts } from './monitoring/alerts.js';
import { ensureBinaries, Prometheus } from './monitoring/prometheus.js';
import { findScrapeTargets } from './monitoring/targets.js';

/** Runs every query of the dashboard and of the rules on a real Prometheus, which scrapes a real n8n in queue mode. */

jest.setTimeout(120_000);

/** A load target that succeeds or fails on request. */
const workflow = { name: 'webhook-wait', id: '1002' };
const SUCCEEDS = `${workflow.name}?seconds=0`;
const FAILS = `${workflow.name}?seconds=61`;
const RECORDED = 8;
const monitoring: Values = {
  enabled: true,
  serviceMonitor: { enabled: true },
  dashboard: { enabled: true },
  rules: { enabled: true, kubeStateMetrics: true },
};
const objects = render(
  queue({
    worker: { replicas: 1 },
    webhook: { replicas: 1 },
    metrics: monitoring,
    capacity: {
      recordedRate: {
        waiting: { rate: RECORDED, workflowIds: [workflow.id] },
        idle: { rate: 1, workflowIds: ['9999'] },
      },
    },
    // n8n's default of 20 s would be most of this test's time.
    extraEnv: [{ name: 'N8N_METRICS_QUEUE_METRICS_INTERVAL', value: '1' }],
  }),
);
const groups = find(objects, 'PrometheusRule').spec.groups;

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const dashboard = JSON.parse(readFileSync(join(chart, 'files/dashboards/n8n-tuned.json'), 'utf8'));
const queries = (dashboard.panels as Panel[]).flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);
const inGrafana = (expression: string): string =>
  expression.replaceAll('$namespace', 'default').replaceAll('$release', RELEASE).replaceAll('$__rate_interval', '30s');

/**
 * Series that this n8n cannot show within a test: those of other exporters, as their documentation gives them, and one that
 * n8n has only after a worker died with executions.
 */
const POD = `namespace="default",pod="${RELEASE}-worker-0",container="n8n"`;
const FROM_ELSEWHERE = `
kube_pod_container_status_restarts_total{${POD}} 1
kube_pod_container_status_last_terminated_reason{${POD},reason="OOMKilled"} 1
kube_pod_container_status_last_terminated_exitcode{${POD}} 137
kube_pod_container_resource_limits{${POD},resource="memory",unit="byte"} 2147483648
container_memory_working_set_bytes{${POD}} 1073741824
container_cpu_cfs_periods_total{${POD}} 100
container_cpu_cfs_throttled_periods_total{${POD}} 10
n8n_queue_job_stalled_total{namespace="default",pod="${RELEASE}-main-0",job="${RELEASE}-main"} 1
`;

/** The query for old rows that docs/operate shows. */
const OLD_ROWS = /--command="\n([^]*?)"\n/
  .exec(readFileSync(join(repositoryFolder, 'docs/operate/README.md'), 'utf8'))![1]!
  .replaceAll('\\"', '"');

let bin: string;
beforeAll(async () => void (bin = await ensureBinaries()), 1_500_000);

describe('n8n in queue mode', () => {
  let deployment: Deployment;
  const sources = () => (deployment.sources.observer as ProcessObserver).sources;
  let exporter: Server;
  let prometheus: Prometheus;
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-monitoring-'));

  beforeAll(async () => {
    deployment = await provisionProcesses({
      objects,
      imports: (token) => loadTargets([workflow.name], token, undefined),
      webhook: { path: `/webhook/${workflow.name}` },
      logs: folder,
      progress: terminalProgress(true),
    });
    exporter = createServer((_, response) => {
      response.setHeader('content-type', 'text/plain; version=0.0.4');
      response.end(FROM_ELSEWHERE.trimStart());
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => exporter.once('listening', resolve));
    const elsewhere = `http://127.0.0.1:${(exporter.address() as AddressInfo).port}/metrics`;
    const targets = findScrapeTargets(objects, sources());
    prometheus = await Prometheus.start(bin, [...targets, { url: elsewhere, labels: {} }], groups);
    // n8n creates a counter with its first event. These events come before the counted ones.
    await call(SUCCEEDS, 200);
    await call(FAILS, 500);
    for (const event of ['started', 'success', 'failed']) {
      expect([event, (await prometheus.untilData(`n8n_workflow_${event}_total offset 1s`, 60)).length]).not.toEqual([
        event,
        0,
      ]);
    }
    for (let i = 0; i < 10; i++) await call(SUCCEEDS, 200);
    await call(FAILS, 500);
    // n8n needs 20 s on an idle machine.
  }, 600_000);

  afterAll(async () => {
    await prometheus?.stop();
    exporter?.close();
    await deployment?.teardown();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(path: string, expected: number): Promise<void> {
    const headers = { 'x-load-target-token': deployment.access.token };
    const { status } = await fetch(`${deployment.access.endpoints[0]}/webhook/${path}`, { headers });
    expect({ path, status }).toEqual({ path, status: expected });
  }

  test('the monitors scrape each process once', async () => {
    const up = await prometheus.untilData(`up{job=~"${RELEASE}-.*"} == 1`, 10);
    expect(up.map(({ metric }) => [metric.job, metric.pod]).sort()).toEqual(
      sources()
        .filter(({ metricsUrl }) => metricsUrl)
        .map(({ component, name }) => [`${RELEASE}-${component}`, name])
        .sort(),
    );
  });

  test.each(queries)('dashboard, %s: %s', async (_, expression) => {
    const result = await prometheus.untilData(inGrafana(expression), 25);
    expect(result.length).toBeGreaterThan(0);
  });

  test('the queries of the dashboard variables find the release', async () => {
    const [, namespace, release] = dashboard.templating.list as { definition: string; regex: string }[];
    const jobs = await prometheus.query('group by (namespace, job) (n8n_version_info)');
    const pattern = new RegExp(release!.regex.replaceAll('/', ''));
    expect(namespace!.definition).toBe('label_values(n8n_version_info, namespace)');
    expect(new Set(jobs.map(({ metric }) => metric.namespace))).toEqual(new Set(['default']));
    expect(jobs.flatMap(({ metric }) => pattern.exec(metric.job!)?.[1] ?? [])).toEqual([RELEASE]);
  });

  test('Prometheus evaluates every rule without an error', async () => {
    const rules = await prometheus.rules();
    expect(rules.map(({ name }) => name).sort()).toEqual(
      (groups[0].rules as Manifest[]).map(({ alert, record }) => alert ?? record).sort(),
    );
    expect(rules.filter(({ health, lastError }) => health !== 'ok' || lastError)).toEqual([]);
  });

  test.each(
    (groups[0].rules as Manifest[]).map(({ alert, record, labels, expr }) => [
      alert ?? record,
      labels.component ?? '',
      expr,
    ]),
  )('every series that %s %s asks for is there', async (_name, _component, expression) => {
    for (const selector of await prometheus.selectors(expression)) {
      expect([selector, (await prometheus.untilData(selector, 25)).length]).not.toEqual([selector, 0]);
    }
  });

  test('the share of the recorded capacity matches the counted executions', async () => {
    const recorded = 'n8n_tuned:capacity_used:percent';
    await prometheus.untilData(`${recorded} > 0`, 25);
    // Both are read at the time of the rule's evaluation, because a rate over 5 minutes changes with every second.
    const at = Number((await prometheus.query(`timestamp(${recorded})`))[0]!.value[1]);
    const started = `sum(rate(n8n_workflow_started_total{workflow_id="${workflow.id}"}[5m] @ ${at}))`;
    const [[used], [rate]] = [await prometheus.query(`${recorded} @ ${at}`), await prometheus.query(started)];
    const expected = (100 * Number(rate!.value[1])) / RECORDED;
    expect(expected).toBeGreaterThan(0);
    expect(Number(used!.value[1]) / expected).toBeCloseTo(1, 0);
  });

  test('n8n does not count a job of a paused queue as waiting; the query of docs/operate finds its execution', async () => {
    const { redis } = deployment.sources.queue as unknown as { redis: RedisAddress };
    const { address } = deployment.sources.database as unknown as { address: PostgresAddress };
    const queue = new Bull('jobs', { redis, prefix: 'bull' });
    const database = new pg.Client(address);
    await database.connect();
    const added = 'sum(n8n_queue_job_enqueued_total)';
    const before = Number((await prometheus.query(added))[0]!.value[1]);
    await queue.pause();
    const answer = call(SUCCEEDS, 200);
    try {
      expect(await prometheus.untilData(`${added} > ${before}`, 25)).toHaveLength(1);
      // Longer than the intervals of n8n (1 s) and of Prometheus.
      await sleep(3000);
      expect((await prometheus.query('max(n8n_scaling_mode_queue_jobs_waiting)'))[0]!.value[1]).toBe('0');
      expect(await queue.getJobCounts()).toMatchObject({ paused: 1, waiting: 0 });
      expect((await database.query(OLD_ROWS)).rows).toEqual([]);
      const now = await database.query(OLD_ROWS.replace(/ - interval '.*?'/, ''));
      expect(now.rows).toEqual([expect.objectContaining({ workflowId: workflow.id, status: 'new' })]);
    } finally {
      await queue.resume();
      await Promise.all([queue.close(), database.end()]);
    }
    await answer;
  });
});

describe('the alerts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-alerts-'));
  const rules = join(folder, 'rules.yaml');
  const ruled = render(
    queue({
      ...{ metrics: monitoring, capacity: { recordedRate: { all: 10 } }, main: { heap: { n8n: 1000, runner: 200 } } },
      rescue: { enabled: true, apiKey: { existingSecret: 'n8n-api-key' } },
    }),
  );
  const tried = find(ruled, 'PrometheusRule').spec.groups as Manifest[];
  beforeAll(() => writeFileSync(rules, stringify({ groups: tried })));
  afterAll(() => rmSync(folder, { recursive: true }));

  const promtool = (...args: string[]) => execa(join(bin, 'promtool'), args, { reject: false, all: true });

  test('promtool accepts the rules', async () => {
    const { all, exitCode } = await promtool('check', 'rules', rules);
    expect({ all, exitCode }).toMatchObject({ exitCode: 0 });
  });

  test('each alert has a test', () => {
    const names = (tried[0].rules as Manifest[]).flatMap(({ alert }) => alert ?? []);
    expect([...new Set(alerts.map(({ alert }) => alert))].sort()).toEqual([...new Set(names)].sort());
  });

  test('each alert fires in its situation, and does not fire in the quiet one', async () => {
    const tests = alerts.flatMap(({ alert, fires, quiet }) =>
      [
        { ...fires, does: 'fires', samples: [{ labels: '{}', value: 1 }] },
        { ...quiet, does: 'is quiet', samples: [] },
      ].map(({ when, series, does, samples }) => ({
        name: `${alert} ${does} when ${when}`,
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: `count(count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"}))`,
            eval_time: '30m',
            exp_samples: samples,
          },
        ],
      })),
    );
    const file = join(folder, 'alerts.yaml');
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
    const { all, exitCode } = await promtool('test', 'rules', file);
    expect(exitCode === 0 ? '' : all).toBe('');
  });
});
