import { COMPONENT_LABEL } from '../../../../capacity/src/chart/objects.js';
import type { PodObject, WorkloadObject } from '../../../../capacity/src/provision/kubernetes/api-objects.js';
import type { Cluster } from '../../../../capacity/src/provision/kubernetes/cluster.js';
import { createPodInjector } from '../../../../capacity/src/provision/kubernetes/fault-injector.js';
import type { ReleaseView } from '../../../../capacity/src/provision/kubernetes/release.js';

/** A stub for what kubectl is told; test/cluster/faults.test.ts harms real pods. */

const { signal } = new AbortController();
const COMPONENTS = ['main', 'worker', 'worker', 'webhook', 'redis', 'postgresql'] as const;

/** A release in which `exec` of what ends a container counts as its restart. */
const CLAIM = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];

function release({
  answer = '',
  volumes = CLAIM,
  refusal = () => undefined,
  idle = [],
}: {
  idle?: WorkloadObject[];
  answer?: string | ((command: string) => string);
  volumes?: object[];
  refusal?: () => string | undefined;
} = {}) {
  const commands: string[] = [];
  const restarts = new Map<string, number>();
  let workers = 2;
  let databases = 1;
  const evicted: string[] = [];
  const pods = () =>
    COMPONENTS.filter((c, i) => (c !== 'worker' || i <= workers) && (c !== 'postgresql' || databases > 0))
      .map((component, i) => {
        const name = `${component}-${i}`;
        const status = {
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [{ name: component, restartCount: restarts.get(name) ?? 0 }],
        };
        const metadata = { name, uid: name, labels: { [COMPONENT_LABEL]: component } };
        const spec = { containers: [{ name: component }], volumes, nodeName: i === 2 ? 'b' : 'a' };
        return { metadata, spec, status } as unknown as PodObject;
      })
      .filter(({ metadata }) => !evicted.includes(metadata.name));
  const workloads = (['main', 'worker', 'webhook', 'postgresql'] as const).map((component) => ({
    metadata: { name: `n8n-${component}`, labels: { [COMPONENT_LABEL]: component } },
    spec: { replicas: COMPONENTS.filter((each) => each === component).length },
  }));
  const cluster = {
    kubectl: (args: string[]) => {
      const command = args.slice(2).join(' ');
      commands.push(command);
      const [verb, name] = args.slice(2);
      if (args.includes('--raw')) {
        const error = refusal();
        if (error !== undefined) return Promise.reject(new Error(error));
        evicted.push(args[4]!.split('/').at(-2)!);
      }
      if (name === 'statefulset/n8n-postgresql') databases = Number(/"replicas":(\d)/.exec(command)![1]);
      else if (verb === 'patch') workers--;
      if (verb === 'exec' && /kill -(KILL|TERM|INT)|shutdown/.test(command))
        restarts.set(name!, (restarts.get(name!) ?? 0) + 1);
      return Promise.resolve(typeof answer === 'function' ? answer(command) : answer);
    },
  } as unknown as Cluster;
  const view = {
    namespace: 'n',
    pods: () => Promise.resolve(pods()),
    workloads: () => Promise.resolve([...idle, ...workloads]),
  } as unknown as ReleaseView;
  return { injector: createPodInjector({ cluster, view, environment: {} }), commands };
}

test('one worker, or all, are killed in their containers, without the first process', async () => {
  const { injector, commands } = release();
  expect(await injector.kill('worker', 'one', signal)).toBe('SIGKILL in worker-1');
  expect(commands).toEqual(['exec worker-1 -c worker -- sh -c kill -KILL -1']);
  expect(await injector.kill('worker', 'all', signal)).toBe('SIGKILL in worker-1, worker-2');
});

test.each([
  ['redis', 'TERM'],
  ['postgresql', 'INT'],
] as const)('%s is stopped as its image says', async (database, stop) => {
  const { injector, commands } = release();
  expect(await injector.restart(database, signal)).toMatch(new RegExp(`ended by SIG${stop} and was started again$`));
  expect(commands[0]).toMatch(new RegExp(`-c ${database} -- sh -c kill -${stop} 1$`));
});

test('Redis loses its files before it ends, and a key shows that it did', async () => {
  const losing = (left: string) => {
    const answer = (command: string) => (/ set /.test(command) ? 'OK' : / exists /.test(command) ? left : '');
    return release({ answer });
  };
  const { injector, commands } = losing('0');
  expect(await injector.loseQueue(signal)).toBe('redis-4 came back empty');
  expect(commands[1]).toMatch(/rm -rf .*appendonlydir.*appendonly\.aof.*; redis-cli shutdown nosave$/);
  expect(await release().injector.loseQueue(signal)).toBeUndefined();
});

test("a database's StatefulSet has no pod for a while, and one again", async () => {
  const { injector, commands } = release();
  expect(await injector.takeAway('postgresql', 0, signal)).toBe('n8n-postgresql had no pod for 0 s');
  expect(commands).toEqual(
    [0, 1].map((n) => `patch statefulset/n8n-postgresql --type=merge -p {"spec":{"replicas":${n}}}`),
  );
});

test('a database whose data would go with its pod is left alone', async () => {
  const { injector, commands } = release({ volumes: [{ name: 'data', emptyDir: {} }] });
  expect(await injector.takeAway('postgresql', 0, signal)).toBeUndefined();
  expect(commands).toEqual([]);
});

test('a database comes back when the user ends the run meanwhile', async () => {
  const { injector, commands } = release();
  const ends = AbortSignal.timeout(50);
  await expect(injector.takeAway('postgresql', 60, ends)).rejects.toThrow();
  expect(commands.at(-1)).toContain('"replicas":1');
});

test('Redis was halted if it took the command, answered before and does not answer then', async () => {
  const halted = (paused: string, then: string) => {
    let isPaused = false;
    const answer = (command: string) => {
      if (!command.includes('client pause')) return isPaused ? then : 'PONG';
      isPaused = true;
      return paused;
    };
    return release({ answer }).injector.halt('redis', 0, signal);
  };
  expect(await halted('OK', 'none')).toMatch(/answered no command/);
  expect(await halted('OK', 'PONG')).toBeUndefined();
  expect(await halted('NOAUTH Authentication required.', 'none')).toBeUndefined();
  expect(await release({ answer: 'none' }).injector.halt('redis', 0, signal)).toBeUndefined();
});

test('a worker is halted only if all of its processes are', async () => {
  expect(await release({ answer: 'T\nT' }).injector.halt('worker', 0, signal)).toBe('worker-1 was halted for 0 s');
  expect(await release({ answer: 'T\nS' }).injector.halt('worker', 0, signal)).toBeUndefined();
});

test('n8n is restarted workload by workload, and each is waited for', async () => {
  const { injector, commands } = release();
  expect(await injector.restartEach(signal)).toBe('rolling restart of n8n-main, n8n-worker, n8n-webhook');
  expect(commands.map((command) => command.replace(/ --timeout.*/, ''))).toEqual(
    ['main', 'worker', 'webhook'].flatMap((c) => [
      `rollout restart deployment/n8n-${c}`,
      `rollout status deployment/n8n-${c}`,
    ]),
  );
});

test('one worker is taken away', async () => {
  const { injector, commands } = release();
  expect(await injector.scaleIn(signal)).toBe('n8n-worker has 1 instead of 2 pods');
  expect(commands).toEqual(['patch deployment/n8n-worker --type=merge -p {"spec":{"replicas":1}}']);
});

test('one of the workers that run is taken away, where another chart has several workloads of them', async () => {
  const other = { metadata: { name: 'gpu', labels: { [COMPONENT_LABEL]: 'worker' } }, spec: { replicas: 0 } };
  const { injector, commands } = release({ idle: [other] });
  expect(await injector.scaleIn(signal)).toBe('n8n-worker has 1 instead of 2 pods');
  expect(commands).toEqual(['patch deployment/n8n-worker --type=merge -p {"spec":{"replicas":1}}']);
});

test("n8n's pods of one worker's node are evicted, once their budgets allow it; databases and other nodes are left alone", async () => {
  const refusals = ["Cannot evict pod as it would violate the pod's disruption budget."];
  const { injector, commands } = release({ refusal: () => refusals.pop() });
  expect(await injector.drain!(signal)).toBe('main-0, worker-1, webhook-3 evicted from a');
  expect(commands).toEqual(
    ['main-0', 'main-0', 'worker-1', 'webhook-3'].map(
      (name) => `create --raw /api/v1/namespaces/n/pods/${name}/eviction -f -`,
    ),
  );
});

test('an eviction that is not allowed at all ends the fault', async () => {
  const { injector } = release({ refusal: () => 'pods "main-0" is forbidden' });
  await expect(injector.drain!(signal)).rejects.toThrow('forbidden');
});
