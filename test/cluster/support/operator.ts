import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.js';
import { kubectl, type Manifest } from './namespace.js';

const API_PORT = 6565;

/**
 * Does what the k6-operator does of a TestRun, as far as its runners go (read: its sources): a Job for each of them, with
 * the segment of the load that is its share, paused until all are there, then all started. The operator itself cannot be
 * built here, and its initializer and starter have images of their own.
 * @param isOurs whether a namespace is looked at
 * @param signal ends it
 */
export async function standInForOperator(
  isOurs: (namespace: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const done = new Set<string>();
  while (!signal.aborted) {
    const { items } = JSON.parse(await kubectl(['get', 'testruns', '--all-namespaces', '-o', 'json']));
    for (const testRun of items as Manifest[]) {
      const { uid, namespace } = testRun.metadata;
      if (done.has(uid) || !(await isOurs(namespace))) continue;
      done.add(uid);
      await carryOut(testRun);
    }
    await sleep(500);
  }
}

async function carryOut(testRun: Manifest): Promise<void> {
  const { name, namespace } = testRun.metadata;
  const there = ['--namespace', namespace];
  const items = Array.from({ length: testRun.spec.parallelism }, (_, i) => runnerJob(testRun, i + 1));
  await kubectl([...there, 'create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const pods = await eventually(`pods of ${name} run`, 300, async () => {
    const selector = `k6_cr=${name},runner=true`;
    const all: Manifest[] = JSON.parse(
      await kubectl([...there, 'get', 'pods', '--selector', selector, '-o', 'json']),
    ).items;
    return all.length === items.length && all.every(({ status }) => status.phase === 'Running') && all;
  });
  const start = JSON.stringify({ data: { type: 'status', id: 'default', attributes: { paused: false } } });
  const url = `http://127.0.0.1:${API_PORT}/v1/status`;
  const ask = ['curl', '--fail', '--silent', '--retry', '30', '--retry-connrefused', '--retry-delay', '1'];
  await Promise.all(
    pods.map(({ metadata }) =>
      kubectl([...there, 'exec', metadata.name, '--container=k6', '--', ...ask, '-X', 'PATCH', url, '-d', start]),
    ),
  );
}

/** The Job of a runner, from 1 on. */
function runnerJob({ metadata, spec }: Manifest, index: number): object {
  const { name, namespace } = metadata;
  const { parallelism, runner } = spec;
  const share = (i: number) => (i === 0 ? '0' : i === parallelism ? '1' : `${i}/${parallelism}`);
  const sequence = Array.from({ length: parallelism + 1 }, (_, i) => share(i)).join(',');
  const labels = { ...runner.metadata.labels, app: 'k6', k6_cr: name, runner: 'true' };
  const command = [
    ...['k6', 'run', '--quiet'],
    ...[`--execution-segment=${share(index - 1)}:${share(index)}`, `--execution-segment-sequence=${sequence}`],
    ...[...spec.arguments.split(' '), spec.script.localFile, `--address=0.0.0.0:${API_PORT}`, '--paused'],
    ...['--tag', `instance_id=${index}`, '--tag', `testrun_name=${name}`],
  ];
  const probe = { httpGet: { path: '/v1/status', port: API_PORT } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `${name}-${index}`, namespace, labels },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          affinity: runner.affinity,
          securityContext: runner.securityContext,
          containers: [
            {
              name: 'k6',
              image: runner.image,
              imagePullPolicy: runner.imagePullPolicy,
              command,
              env: runner.env,
              resources: runner.resources,
              volumeMounts: runner.volumeMounts,
              securityContext: runner.containerSecurityContext,
              ports: [{ containerPort: API_PORT }],
              livenessProbe: probe,
              readinessProbe: probe,
            },
          ],
          volumes: runner.volumes,
        },
      },
    },
  };
}
