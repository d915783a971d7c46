import { N8N, own, queue, render, refusals, type Values } from '../render.js';
import { tests } from './cases.js';

const main = (limit: string, heap: Values = {}): Values => ({
  main: { resources: { requests: { memory: '128Mi' }, limits: { memory: limit } }, heap },
});
const ofOwnMode = own(4, '1Gi');
(ofOwnMode.main as Values).heap = { n8n: 200 };

await tests('_heap.tpl', [
  [
    'heap-without-limit',
    'main.resources.limits.memory',
    { main: { resources: { limits: { memory: null } } } },
    'heap.enabled=false',
  ],
  ['limit-too-small', 'main.resources.limits.memory=768Mi', main('768Mi'), 'main.resources.limits.memory to 1005Mi'],
  [
    'limit-too-small',
    'worker.resources.limits.memory=768Mi',
    queue({ worker: { resources: { requests: { memory: '256Mi' }, limits: { memory: '768Mi' } } } }),
    'worker.resources.limits.memory to 1065Mi',
  ],
  [
    'limit-too-small',
    'webhook.resources.limits.memory=512Mi',
    queue({ webhook: { resources: { requests: { memory: '256Mi' }, limits: { memory: '512Mi' } } } }),
    'webhook.resources.limits.memory to 704Mi',
  ],
  ['limit-too-small', 'main.resources.limits.memory=1024Mi', own(8, '1Gi'), 'lower executions.own.children'],
  ['heap-below-start', 'main.heap.n8n=256', { main: { heap: { n8n: 256 } } }, `n8n ${N8N}`, 'Set 320'],
  ['heap-below-start', 'main.heap.n8n=64', { ...own(1, '1Gi'), main: { heap: { n8n: 64 } } }, 'n8n 0.221.2', 'Set 96'],
  ['heap-below-start', 'worker.heap.runner=32', queue({ worker: { heap: { runner: 32 } } }), 'Set 64'],
  ['no-heap-for-runner', 'main.heap.n8n=1560', { main: { heap: { n8n: 1560 } } }, 'Lower main.heap.n8n'],
  ['runner-share-too-small', 'heap.runnerShare=2', { heap: { runnerShare: 2 } }, 'Raise heap.runnerShare'],
  [
    'heap-above-limit',
    'main.heap',
    { main: { heap: { n8n: 1000, runner: 800 } } },
    '1000 MiB',
    '800 MiB',
    '480 MiB = 2280 MiB',
    'main.resources.limits.memory to 2280Mi',
  ],
  [
    'heap-above-limit',
    'main.heap',
    ofOwnMode,
    '200 MiB × 5 processes (n8n and executions.own.children=4)',
    '352 MiB = 1352 MiB',
  ],
  ['heap-of-no-runner', 'main.heap.runner=256', { image: { tag: '1.123.81' }, main: { heap: { runner: 256 } } }],
  ['no-effect', 'heap.semiSpace=32', { heap: { enabled: false, semiSpace: 32 } }, 'heap.enabled=false'],
  ['semi-space-unsupported', 'heap.semiSpace=32', { ...own(1, '1Gi'), heap: { semiSpace: 32 } }, 'n8n 0.221.2'],
  [
    'limit-too-small',
    'main.resources.limits.memory=1024Mi',
    { ...main('1Gi'), heap: { semiSpace: 128 } },
    'with a headroom of 720 MiB',
  ],
  ['no-effect', 'main.heap', { heap: { enabled: false }, main: { heap: { n8n: 700 } } }, 'heap.enabled=false'],
]);

describe('the limit that a refusal asks for', () => {
  it.each([
    ['n8n 2', (limit: string) => main(limit)],
    ['n8n 2 with a small runner', (limit: string) => ({ ...main(limit), heap: { runnerShare: 10 } })],
    ['n8n 2 with a given heap', (limit: string) => main(limit, { n8n: 600 })],
    ['n8n 2 with both heaps given', (limit: string) => main(limit, { n8n: 600, runner: 400 })],
    ['n8n 2 with a given runner heap', (limit: string) => main(limit, { runner: 300 })],
    ['n8n 0.221.2', (limit: string) => ({ ...main(limit), image: { tag: '0.221.2' } })],
    ['own mode', (limit: string) => own(8, limit)],
  ])('is the smallest that is accepted, for %s', async (_name, values) => {
    const [refusal] = await refusals(values('160Mi'));
    const asked = Number(/to (\d+)Mi or more/.exec(refusal!.text)![1]);
    expect(() => render(values(`${asked}Mi`))).not.toThrow();
    expect(await refusals(values(`${asked - 1}Mi`))).toHaveLength(1);
  });
});
