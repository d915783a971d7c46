import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import { report, secondsOf } from './support/eventually.js';
import { kubectl } from './support/namespace.js';
import { Release, type Component } from './support/release.js';

jest.setTimeout(900_000);

const lab = (script: string) => fileURLToPath(new URL(`../../tools/cluster-lab/${script}`, import.meta.url));
const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
/** By default the chart asks for it if possible. */
const onBoth = {
  topologySpreadConstraints: [
    {
      ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' },
      // Or nothing could replace the pods of a node that is drained.
      nodeTaintsPolicy: 'Honor',
    },
  ],
};
const values = {
  loadTargets: { enabled: true },
  main: requests('100m'),
  worker: { ...requests('150m'), ...onBoth },
  webhook: { ...requests('250m'), ...onBoth },
  postgresql: requests('150m'),
};

const nodes = async () => (await kubectl(['get', 'nodes', '-o', 'name'])).split('\n');
const nodesOf = async (component: Component) =>
  (await release.pods(component)).map(({ spec }) => spec.nodeName as string).sort();

let release: Release;
let madeNode = false;
beforeAll(async () => {
  // The client first: on the first node, which stays.
  release = await Release.create('drain');
  if ((await nodes()).length === 1) {
    // Only the lab can have another node; elsewhere the cluster needs two.
    await execa(lab('second-node.sh'), { stderr: 'inherit' });
    madeNode = true;
  }
  await release.install(values, 'profiles/queue.yaml');
  await release.answers();
});
afterAll(async () => {
  await release?.delete();
  if (madeNode) await execa(lab('down.sh'), { env: { LAB_NODE: '2' } });
});

test('a node is drained under load: no request fails, and no execution is lost', async () => {
  const { spec } = await release.namespace.get('pod', 'client');
  for (const component of ['webhook', 'worker'] as const) expect(new Set(await nodesOf(component)).size).toBe(2);
  const [drained] = (await nodesOf('worker')).filter((node) => node !== spec.nodeName);
  for (const component of ['main', 'postgresql', 'redis'] as const)
    expect(await nodesOf(component)).not.toContain(drained);

  const answering = await release.load('webhook-ack', 2);
  // Five at a time: the worker that stays has ten slots, and is alone until the other's successor is ready.
  const working = await release.load('webhook-ack-wait', 1, { SECONDS: 5 });
  const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=240s'];
  try {
    const seconds = await secondsOf(() => kubectl(['drain', drained!, ...options]));
    await release.ready();
    await release.answers();
    const seen = [await answering.stop(), await working.stop()];
    report(`a node drained in ${seconds} s: ${seen.map((samples) => samples.toString()).join('; ')}`);
    for (const component of ['webhook', 'worker'] as const) expect(await nodesOf(component)).not.toContain(drained);
    expect(seen.flatMap((samples) => samples.failed)).toEqual([]);
    const sent = seen.reduce((sum, { requests: all }) => sum + all.length, 0);
    expect(await release.allSucceeded(120)).toBeGreaterThanOrEqual(sent);
  } finally {
    await kubectl(['uncordon', drained!]);
  }
});
