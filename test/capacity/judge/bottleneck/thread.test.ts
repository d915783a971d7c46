import { findBottleneck } from '../../../../capacity/src/judge/bottleneck/find.js';
import { buildGoodStep } from '../../support/index.js';
import { full, instance, queue, seen, type Use } from './use.js';

describe('the thread that runs the JavaScript is not the process tree', () => {
  const roomy = { ...queue, instances: [instance('main-0', 'main', 2000), instance('worker-0', 'worker', 4000)] };
  const of = (use: Record<string, Use>, deployment = roomy) =>
    findBottleneck(deployment, [buildGoodStep()], seen(use)).candidates;

  test.each<[string, Use, string[]]>([
    ['a full thread below the limit of its container', { cores: 1.2, thread: 0.97 }, ['97 %', '1.20 cores']],
    [
      'a full thread that collects garbage and builds isolates',
      { cores: 1, thread: 0.95, cold: 0.4 },
      ['95 %', '40 % building isolates', '12 per second'],
    ],
    ['one that is not visible: its process and its event loop', { cores: 1.9, own: 1.1, lag: 0.3 }, ['1.10', '300 ms']],
  ])('%s', (_, use, facts) => {
    const [first] = of({ 'main-0': use });
    expect(first).toMatchObject({ limit: 'thread', instance: 'main-0', reached: true });
    for (const fact of facts) expect(first!.evidence).toContain(fact);
  });

  test.each<[string, Use]>([
    ['1.9 cores of 4 while the thread is idle for half of the time', { cores: 1.9, thread: 0.5, lag: 0.03 }],
    ['1.9 cores of 4 at 30 ms of lag where the thread is not visible', { cores: 1.9, lag: 0.03 }],
    ['children that use the cores, by what n8n says of its own process', { cores: 1.9, own: 0.6, lag: 0.3 }],
    ['no lag that could be read', { cores: 1.9 }],
  ])('not a full thread: %s', (_, use) => {
    expect(of({ 'worker-0': use }).filter((c) => c.reached)).toEqual([]);
  });

  test("with SQLite main's thread is full at three quarters of the time: it waits for the one writer", () => {
    const sqlite = { ...roomy, database: 'sqlite' };
    const [first] = of({ 'main-0': { cores: 1, thread: 0.72 } }, sqlite);
    expect(first).toMatchObject({ limit: 'thread', instance: 'main-0', reached: true });
    expect(first!.evidence).toContain('SQLite');
    expect(of({ 'main-0': { cores: 1, thread: 0.6 } }, sqlite).filter((c) => c.reached)).toEqual([]);
    expect(of({ 'main-0': { cores: 1, thread: 0.72 } }).filter((c) => c.reached)).toEqual([]);
  });

  test('the fuller of a thread and a limit comes first', () => {
    const [first, second] = of({ 'main-0': { cores: 1.2, thread: 0.93 }, 'worker-0': { cores: 3.9, thread: 0.3 } });
    expect([first!.limit, second!.limit]).toEqual(['worker-cpu', 'thread']);
  });

  test('full slots of workers whose thread is full: the thread', () => {
    const samplesOf = seen({ 'worker-0': { cores: 1.1, thread: 1 } }, full);
    const [first] = findBottleneck(roomy, [buildGoodStep()], samplesOf).candidates;
    expect(first).toMatchObject({ limit: 'thread', instance: 'worker-0' });
    expect(first!.evidence).toContain('10 slots');
  });
});
