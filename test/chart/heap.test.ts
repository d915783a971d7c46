import { container, env, heapOptions, notes, own, queue, render, type Values } from './render.js';

const main = (limit: string | number, heap: Values = {}): Values => ({
  main: { resources: { requests: { memory: '64Mi' }, limits: { memory: limit } }, heap },
});

/** MiB of the two flags in main's environment. */
function flags(values: Values): { n8n?: number; runner?: number } {
  const objects = render(values);
  const node = heapOptions(objects, 'main');
  const { N8N_RUNNERS_MAX_OLD_SPACE_SIZE: runner } = env(objects, 'main');
  return {
    ...(node !== undefined && { n8n: Number(/^--max-old-space-size=(\d+)$/.exec(node)![1]) }),
    ...(runner !== undefined && { runner: Number(runner) }),
  };
}

describe('n8n 2 and its task runner', () => {
  it.each([
    // limit      headroom: the larger of 384 + 4 × 12 + 96 and 20 %    heap        runner: 33 %
    ['1Gi', { n8n: 333, runner: 163 }], //  1024 - 528 = 496
    ['2Gi', { n8n: 1019, runner: 501 }], //  2048 - 528 = 1520
    ['2640Mi', { n8n: 1416, runner: 696 }], // 2640 - 528 = 2112, where 20 % is 528 too
    ['4Gi', { n8n: 2196, runner: 1081 }], //  4096 - 819 = 3277
    ['16Gi', { n8n: 8783, runner: 4325 }], // 16384 - 3276 = 13108
  ])('%s', (limit, expected) => expect(flags(main(limit))).toEqual(expected));

  it.each([
    ['2147483648', '2Gi'],
    [2147483648, '2Gi'],
    ['2048Mi', '2Gi'],
    ['2097152Ki', '2Gi'],
    ['2e9', '1907Mi'],
    ['2G', '1907Mi'],
    ['2000M', '1907Mi'],
    ['2000000k', '1907Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ti', '512Gi'],
    ['2000000000000m', '1907Mi'],
  ])('reads %s as %s', (quantity, same) => expect(flags(main(quantity))).toEqual(flags(main(same))));

  it('takes what is given, and computes the other from its share or from what is left', () => {
    expect(flags(main('2Gi', { n8n: 700, runner: 300 }))).toEqual({ n8n: 700, runner: 300 });
    expect(flags(main('2Gi', { n8n: 700 }))).toEqual({ n8n: 700, runner: 501 });
    expect(flags(main('2Gi', { n8n: 1400 }))).toEqual({ n8n: 1400, runner: 120 });
    expect(flags(main('2Gi', { runner: 1000 }))).toEqual({ n8n: 520, runner: 1000 });
  });

  it('needs no limit where both heaps are given', () => {
    const values = { main: { resources: { limits: { memory: null } }, heap: { n8n: 700, runner: 300 } } };
    expect(flags(values)).toEqual({ n8n: 700, runner: 300 });
  });

  it('follows headroom and share', () => {
    const heap = { runnerShare: 50, headroom: { n8n: 400, runner: 100, share: 0 } };
    expect(flags({ heap })).toEqual({ n8n: 774, runner: 774 });
  });

  it('sets the semi-spaces of the young generation, and takes what is above the default from the heap', () => {
    const options = (semiSpace: number | null, tag = '2.41.1') =>
      heapOptions(render({ image: { tag }, heap: { semiSpace } }), 'main')!;
    expect(options(null)).toBe('--max-old-space-size=1019');
    expect(options(16)).toBe('--max-old-space-size=1019 --max-semi-space-size=16');
    expect(options(64)).toBe('--max-old-space-size=1019 --max-semi-space-size=64');
    // 2048 - 528 - 3 × 64, of which 67 %
    expect(options(128)).toBe('--max-old-space-size=890 --max-semi-space-size=128');
    expect(options(64, '1.123.81')).toBe(
      `--max-old-space-size=${Number(/\d+/.exec(options(null, '1.123.81'))![0]) - 144} --max-semi-space-size=64`,
    );
  });

  it('leaves none where told to, to see what the kernel does then', () => {
    const { n8n, runner } = flags({ heap: { headroom: { n8n: 0, runner: 0, share: 0 } } });
    expect(n8n! + runner!).toBe(2048);
  });

  it.each([
    // pool      heap of n8n and runner: 2048 - 480 - 12 for each isolate beyond the first
    [{ poolSize: 1 }, 1568],
    [{ poolSize: 21 }, 1328],
    [{ type: 'legacy', acceptLessSafe: true }, 1568],
  ])('keeps memory for the isolates that are ready: %j', (expressionEngine, heap) => {
    const { n8n, runner } = flags({ expressionEngine });
    expect(n8n! + runner!).toBe(heap);
  });

  it('keeps none for them beside heaps that are given, which were measured', () => {
    expect(flags(main('2Gi', { n8n: 1051, runner: 517 }))).toEqual({ n8n: 1051, runner: 517 });
  });

  it('keeps none for them in a version that has none, nor where the headroom is given', () => {
    const poolSize = { expressionEngine: { poolSize: 21 } };
    expect(flags({ ...poolSize, heap: { headroom: { n8n: 384 } } })).toEqual(
      flags({ expressionEngine: { poolSize: 1 } }),
    );
    expect(flags({ ...poolSize, image: { tag: '1.100.0' } })).toEqual(flags({ image: { tag: '1.100.0' } }));
  });

  it("leaves V8's own limit when switched off, and NODE_OPTIONS to the user", () => {
    expect(flags({ heap: { enabled: false } })).toEqual({});
    const extraEnv = [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=2048' }];
    expect(flags({ heap: { enabled: false }, extraEnv })).toEqual({ n8n: 2048 });
  });
});

it('gives a webhook processor all of it', async () => {
  expect(heapOptions(render(queue()), 'webhook')).toBe('--max-old-space-size=896'); // 1280 - 384
});

it.each(['0.221.2', '1.26.0'])('n8n %s runs no task runner', (tag) => {
  expect(flags({ image: { tag } })).toEqual({ n8n: 1639 }); // 2048 - 20 %
});

describe('own mode', () => {
  it.each([
    // (limit - headroom) ÷ (1 + children), headroom the larger of 160 + children × 48 and 20 %
    [1, '1Gi', 408], // (1024 - 208) ÷ 2
    [4, '1Gi', 134], // (1024 - 352) ÷ 5
    [5, '1Gi', 104], // (1024 - 400) ÷ 6
    [8, '2Gi', 167], // (2048 - 544) ÷ 9
    [4, '8Gi', 1310], // (8192 - 1638) ÷ 5
  ])('%d children in %s', (children, limit, n8n) => expect(flags(own(children, limit))).toEqual({ n8n }));

  it('says in the notes that the number of children is declared only', async () => {
    expect(await notes(own(4, '1Gi'))).toMatch(/declared, not enforced/);
  });
});

it('never lets heap and headroom go over the limit', async () => {
  const objects = render(queue());
  for (const component of ['main', 'worker', 'webhook'] as const) {
    const { N8N_RUNNERS_MAX_OLD_SPACE_SIZE: runner = '0' } = env(objects, component);
    const limit = component === 'webhook' ? 1280 : 2048;
    expect(['1280Mi', '2Gi']).toContain(container(objects, component).resources.limits.memory);
    expect(Number(heapOptions(objects, component)!.split('=')[1]) + Number(runner) + 384).toBeLessThanOrEqual(limit);
  }
});

it('tabulates it in the notes', async () => {
  expect(await notes(queue())).toMatch(
    /main +2048 +1051 +517 +480\n +worker +2048 +979 +481 +588\n +webhook +1280 +896 +- +384/,
  );
});
