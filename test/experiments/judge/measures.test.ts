import { cellNumber, cellText } from '../../../experiments/src/judge/measures.js';
import { closedLoad, createCellRecord } from '../recorded.js';

const process = (role: string, peakMib: number, requests?: number) => ({
  pid: peakMib,
  role,
  peakMib,
  ...(requests !== undefined && { requests }),
});

test.each([
  ['survives', { load: closedLoad(10) }],
  ['FailedRequests', { load: closedLoad(10, 1) }],
  ['V8HeapLimit', { payload: { survivedMb: 64, brokeMb: 128, limit: 'V8HeapLimit' as const } }],
  ['survives', { payload: { survivedMb: 1024, limit: 'LoadTarget' as const } }],
  [
    'OOMKilled',
    {
      load: closedLoad(10, 1),
      events: [{ at: 1, instance: 'main', kind: 'died' as const, reason: 'OOMKilled' as const }],
    },
  ],
  ['TaskRunner', { load: closedLoad(10, 1), events: [{ at: 1, instance: 'main', kind: 'runner-died' as const }] }],
  ['refused', { refused: 'the chart refuses these values' }],
])('outcome: %s', (outcome, given) => {
  expect(cellText('outcome', createCellRecord(given))).toBe(outcome);
});

test('rates, shares and bounds', () => {
  const cell = createCellRecord({ load: closedLoad(75, 25), bound: 10 });
  expect(cellText('rate', cell)).toBe('7.5');
  expect(cellText('failedShare', cell)).toBe('25 %');
  expect(cellText('failures', cell)).toBe('25 × HTTP 500');
  expect(cellNumber('slotUse', cell)).toBe(0.75);
  expect(cellText('p99', cell)).toBe('–');
  expect(cellText('p99', createCellRecord({ load: closedLoad(99, 1) }))).toBe('900 ms');
});

test('the goodput of an overload counts requests that were both answered and executed, as a share of the capacity', () => {
  const overload = { capacity: 20, rate: 60, seconds: 30, answered: 570, refused: 1200, failed: 30, refusedP50: 0.004 };
  const cell = createCellRecord({ overload: { ...overload, completed: 18, backSeconds: 4 } });
  expect(cellText('capacity', cell)).toBe('20');
  expect(cellText('goodput', cell)).toBe('90 %');
  // An answer alone does not prove that the execution ran.
  expect(cellText('goodput', createCellRecord({ overload }))).toBe('–');
  expect(cellText('refused', cell)).toBe('66.7 %');
  expect(cellText('refusedP50', cell)).toBe('4 ms');
  expect(cellText('otherwise', cell)).toBe('1.67 %');
  expect(cellText('back', cell)).toBe('4 s');
  expect(cellText('back', createCellRecord({ overload }))).toBe('not within 20 s');
  expect(cellText('back', createCellRecord({ overload: { ...overload, unclear: 'not counted' } }))).toBe('–');
  expect(cellText('goodput', createCellRecord({ overload: { ...overload, unclear: 'k6 was late' } }))).toBe('–');
});

test('the balancer and k6 do not count as serving processes', () => {
  const processes = [process('nginx', 5), process('webhook', 300, 60), process('webhook', 310, 40), process('k6', 200)];
  const cell = createCellRecord({ processes, memoryMostMib: 600 });
  expect(cellNumber('balancerMemory', cell)).toBe(5);
  expect(cellNumber('serverMemory', cell)).toBe(310);
  expect(cellNumber('memory', cell)).toBe(600);
  expect(cellText('share', cell)).toBe('60 % · 40 %');
  expect(cellNumber('fairness', cell)).toBeCloseTo(0.9615, 4);
});

test('clientMemory covers the processes that take the connections, and is undefined if one died', () => {
  const { clients, ...open } = closedLoad(10);
  const load = { ...open, clients: 5 * clients! };
  const processes = [
    process('main', 700),
    process('webhook', 300),
    process('webhook', 100),
    process('cluster primary', 50),
  ];
  expect(cellNumber('clientMemory', createCellRecord({ load, processes }))).toBe(10);
  expect(cellNumber('clientMemory', createCellRecord({ load, processes: [process('main', 400)] }))).toBe(10);
  expect(cellNumber('clientMemory', createCellRecord({ load: open, processes }))).toBeUndefined();
  const events = [{ at: 1, instance: 'main', kind: 'died' as const }];
  expect(cellNumber('clientMemory', createCellRecord({ load, processes, events }))).toBeUndefined();
});

test('fairness includes pods that served nothing, but not main if there are webhook processors', () => {
  const pod = (name: string, component: 'main' | 'webhook', executions?: number) => ({
    name,
    component,
    peakMib: 300,
    ...(executions !== undefined && { executions }),
  });
  const cell = createCellRecord({ pods: [pod('main', 'main', 7), pod('a', 'webhook', 100), pod('b', 'webhook')] });
  expect(cellText('share', cell)).toBe('100 % · 0 %');
  expect(cellNumber('fairness', cell)).toBeCloseTo(0.5, 6);
});

test('a percentile includes the service time', () => {
  expect(cellText('p50', createCellRecord({ load: { ...closedLoad(10), serviceSeconds: 3 } }))).toBe('3.01 s');
});

test('a payload search that did not end has no result', () => {
  const cell = createCellRecord({ payload: {} });
  expect([cellText('outcome', cell), cellText('payload', cell)]).toEqual(['–', '–']);
});

test('a missing figure is shown as a dash, never as zero', () => {
  expect(cellText('rate', createCellRecord({}))).toBe('–');
  expect(cellText('memory', createCellRecord({}))).toBe('–');
  expect(cellText('balancerMemory', createCellRecord({ processes: [process('webhook', 300)] }))).toBe('–');
});

test('in the open model dropped requests count as failed, and only a cell that held has percentiles', () => {
  const open = { asked: 6, clients: undefined };
  const dropping = createCellRecord({ load: { ...closedLoad(128), ...open, dropped: 52 } });
  expect(['held', 'dropped', 'failedShare', 'p50', 'p99'].map((name) => cellText(name, dropping))).toEqual([
    'drops requests',
    '52 of 180',
    '28.9 %',
    '–',
    '–',
  ]);
  const ended = { accepted: 180, completed: 180, failed: 0, drainSeconds: 1 };
  const held = createCellRecord({ load: { ...closedLoad(180), ...open, executions: ended } });
  expect(['held', 'dropped', 'p99'].map((name) => cellText(name, held))).toEqual(['holds', '0', '900 ms']);
  const executions = { accepted: 180, completed: 170, failed: 0, drainSeconds: 30 };
  expect(cellText('held', createCellRecord({ load: { ...closedLoad(180), ...open, executions } }))).toBe(
    'loses executions',
  );
  expect(cellText('held', createCellRecord({ load: closedLoad(180) }))).toBe('–');
  // Uncounted executions have no figure.
  expect(cellText('held', createCellRecord({ load: { ...closedLoad(180), ...open } }))).toBe('–');
});

test('the number of lost executions is shown with the number of accepted ones', () => {
  const executions = { accepted: 1456, completed: 90, failed: 0, drainSeconds: 10 };
  const cell = createCellRecord({ load: { ...closedLoad(1207), executions } });
  expect(['lost', 'lostShare', 'abandoned'].map((name) => cellText(name, cell))).toEqual([
    '1366 of 1456',
    '93.8 %',
    '0',
  ]);
});

test('executions whose client gave up in the warm-up are counted, and do not prove that none was lost', () => {
  const executions = { accepted: 553, completed: 802, failed: 0, drainSeconds: 0 };
  const cell = createCellRecord({ load: { ...closedLoad(402), clients: 400, executions } });
  expect(['rate', 'lost', 'abandoned'].map((name) => cellText(name, cell))).toEqual([
    'INCONCLUSIVE',
    '–',
    '249 of 802',
  ]);
});
