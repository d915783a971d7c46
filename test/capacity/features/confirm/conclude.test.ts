import { judgeConfirm } from '../../../../capacity/src/features/confirm/conclude.js';
import { record, shown, soak, stepAt } from './support.js';

const GOOD = ['held', 'held'] as ['held', 'held'];
const all = [GOOD, GOOD, GOOD];

test('confirmed: every fresh deployment held both rates, and the soak passed', () => {
  const { verdict, loads } = judgeConfirm(record(), shown(all, [soak('PASS')]));
  expect(verdict).toBe('PASS');
  for (const fact of ['20/s with headroom 1.3 (26/s) held in 3 of 3', 'held for 15 min in a soak at 26/s', 'or more'])
    expect(loads[0]!.conclusion).toContain(fact);
});

test.each([
  ['one deployment breaks with headroom', [GOOD, GOOD, ['held', 'broken']], [soak('PASS')], 'FAIL', '2 of 3'],
  [
    'one deployment breaks at the target',
    [GOOD, ['broken', 'held'], GOOD],
    [soak('PASS')],
    'FAIL',
    '20/s does not hold in deployment 2',
  ],
  ['the soak fails', all, [soak('FAIL')], 'FAIL', 'is FAIL'],
  ['a rate broke before any soak', [GOOD, GOOD, ['held', 'broken']], [], 'FAIL', 'no soak, as'],
  [
    'one deployment is not decided',
    [GOOD, GOOD, ['held', 'open']],
    [soak('PASS')],
    'INCONCLUSIVE',
    '26/s is not decided in deployment 3',
  ],
  ['the soak cannot be judged', all, [soak('INCONCLUSIVE')], 'INCONCLUSIVE', 'is INCONCLUSIVE'],
  ['memory drifts in the soak', all, [soak('PASS', 'drifts')], 'FAIL', 'memory drifts'],
  ['the soak is too short', all, [soak('PASS', 'too-short')], 'INCONCLUSIVE', 'memory too-short'],
  ['memory may be full in half an hour', all, [soak('PASS', 'unproven', 0.5)], 'INCONCLUSIVE', 'memory unproven'],
  ['no soak yet', all, [], 'INCONCLUSIVE', 'no soak yet'],
  ['two deployments', [GOOD, GOOD], [soak('PASS')], 'INCONCLUSIVE', '2 of 3'],
  ['nothing yet', [], [], 'INCONCLUSIVE', 'unknown'],
] as [string, Parameters<typeof shown>[0], ReturnType<typeof soak>[], string, string][])(
  'not confirmed: %s',
  (_, outcomes, soaks, verdict, fact) => {
    const judged = judgeConfirm(record(), shown(outcomes, soaks));
    expect(judged.verdict).toBe(verdict);
    expect(judged.loads[0]!.conclusion).toContain(fact);
  },
);

test('growth that would take long to reach its limit is no obstacle, but the answer says that it is not proved', () => {
  const { verdict, loads } = judgeConfirm(record(), shown(all, [soak('PASS', 'unproven', 9)]));
  expect(verdict).toBe('PASS');
  expect(loads[0]!.conclusion).toContain('at the growth seen, no limit is reached within 1 h; a longer soak is needed');
});

test.each([
  [900, 'PASS'],
  [3 * 3600, 'FAIL'],
])('tables that grow in a soak of %i s: n8n deletes old executions once an hour', (seconds, verdict) => {
  const whole = soak('PASS', 'drifts');
  whole.verdict.soak!.drifts[0]!.of = 'rows';
  const memory = soak('PASS').verdict.soak!.drifts;
  whole.verdict.soak!.drifts.push(...memory);
  expect(judgeConfirm(record(), shown(all, [{ ...whole, seconds }])).verdict).toBe(verdict);
});

test('a soak that was ended early proves nothing', () => {
  const ended = { ...soak('PASS'), seconds: 300 };
  const { loads } = judgeConfirm(record(), shown([GOOD, GOOD, GOOD], [ended]));
  expect(loads[0]!.soak).toMatchObject({
    verdict: 'INCONCLUSIVE',
    conclusion: expect.stringContaining('5 min of 15 min'),
  });
});

test('a deployment that was not tried at one of the rates is not decided', () => {
  const whole = shown(all, [soak('PASS')]);
  whole.deployments[1]!.steps = [stepAt(20, 'held')];
  expect(judgeConfirm(record(), whole).verdict).toBe('INCONCLUSIVE');
});

test('the capacity counts the tries of the record, too', () => {
  const before = [
    { load: 'webhook-ack', rate: 30, held: false },
    { load: 'other', rate: 5, held: false },
  ];
  const { loads } = judgeConfirm(record({ before }), shown(all, [soak('PASS')]));
  expect(loads[0]!.capacity.low).toBeGreaterThan(22);
  expect(loads[0]!.capacity.high).toBeLessThan(40);
  expect(loads[0]!.conclusion).toMatch(/capacity \d+(\.\d)? to \d+(\.\d)?\/s \(90 % interval\)/);
});

test('not confirmed: an instance died between two steps of a deployment', () => {
  const { deployments, soaks } = shown(all, [soak('PASS')]);
  const failed = deployments.map((d, i) => (i === 1 ? { ...d, failed: 'main-0 died between the steps' } : d));
  expect(judgeConfirm(record(), { deployments: failed, soaks })).toMatchObject({
    verdict: 'FAIL',
    loads: [{ conclusion: expect.stringContaining('26/s does not hold in deployment 2: main-0 died') }],
  });
});
