import { changeText, type TrialRecord } from '../../../../capacity/src/features/tune/record.js';
import { judgeTune } from '../../../../capacity/src/features/tune/judge.js';
import { changeOf, simulate, TRIAL_SECONDS, tuneRecord, twoLoads, type Truth } from './trials.js';

const CHANGES = Array.from({ length: 15 }, (_, i) => changeOf(`s${i}`));

/** The judgement of a whole run on an n8n whose truth is known. */
function judged(truth: Truth, seed = 1, changes = CHANGES, budgetSeconds = 2700) {
  const record = tuneRecord(changes, budgetSeconds);
  return judgeTune(record, simulate(record, truth, seed));
}

test('a change that gives a third more is found and confirmed, one that takes a fifth is not chosen', () => {
  const { outcome, chosen, effects, gain } = judged({ throughput: { s3: 1.33, s9: 0.8 } });
  expect(outcome).toBe('confirmed');
  expect(chosen).toContain('s3');
  expect(chosen).not.toContain('s9');
  expect(effects.find((e) => e.change.id === 's9')!.finding).toBe('less');
  expect(gain!.throughput.least).toBeLessThan(1.33);
  expect(gain!.throughput.most).toBeGreaterThan(1.33);
});

const HOURS = 3600;

test('a change that gives 10 % is found and confirmed in most runs of an hour and a half', () => {
  const runs = Array.from({ length: 20 }, (_, seed) =>
    judged({ throughput: { s3: 1.1 }, noise: 0.06 }, seed, CHANGES, 1.5 * HOURS),
  );
  expect(runs.filter(({ chosen }) => chosen.includes('s3')).length).toBeGreaterThanOrEqual(18);
  const confirmed = runs.filter(({ outcome }) => outcome === 'confirmed');
  expect(confirmed.length).toBeGreaterThanOrEqual(15);
  expect(confirmed.every(({ gain }) => gain!.smallest! < 0.13)).toBe(true);
});

test('a confirmation of few trials does not confirm 10 %, and says what it could', () => {
  const record = tuneRecord(CHANGES, 2700, 8);
  const runs = Array.from({ length: 20 }, (_, seed) =>
    judgeTune(record, simulate(record, { throughput: { s3: 1.1 }, noise: 0.06 }, seed)),
  ).filter(({ chosen }) => chosen.length > 0);
  const missed = runs.filter(({ outcome }) => outcome !== 'confirmed');
  expect(missed.length).toBeGreaterThan(4);
  for (const { outcome, gain, answer } of missed) {
    expect(outcome).toBe('open');
    expect(gain!.smallest).toBeGreaterThan(0.05);
    expect(answer).toMatch(/not confirmed; 8 trials can confirm a gain of .* or more/);
  }
});

test('with enough trials what does nothing is told to have no effect, and what gives 10 % never is', () => {
  const runs = Array.from({ length: 12 }, (_, seed) =>
    judged({ throughput: { s3: 1.1, s9: 0.9 } }, seed, CHANGES, 3 * HOURS),
  );
  const findings = runs.flatMap(({ effects }) => effects.map(({ change, finding }) => ({ id: change.id, finding })));
  const [real, nothing] = [
    findings.filter(({ id }) => id === 's3' || id === 's9'),
    findings.filter(({ id }) => id !== 's3' && id !== 's9'),
  ];
  expect(real.some(({ finding }) => finding === 'none')).toBe(false);
  expect(nothing.filter(({ finding }) => finding === 'none').length / nothing.length).toBeGreaterThan(0.75);
});

test('what takes 5 % has no gain where the trials are too few to show the loss; what gives 10 % always may have one', () => {
  const runs = Array.from({ length: 20 }, (_, seed) => judged({ throughput: { s3: 0.95, s9: 1.1 }, noise: 0.1 }, seed));
  const findingsOf = (id: string) => runs.map(({ effects }) => effects.find((e) => e.change.id === id)!.finding);
  expect(findingsOf('s3').filter((finding) => finding === 'noGain').length).toBeGreaterThan(5);
  expect(findingsOf('s9')).not.toContain('noGain');
});

test('two changes that only work together are chosen, and no third one is blamed for it', () => {
  const runs = Array.from({ length: 10 }, (_, seed) => judged({ together: ['s3', 's9', 1.5], noise: 0.01 }, seed));
  for (const { chosen, outcome, effects } of runs) {
    expect(chosen).toEqual(expect.arrayContaining(['s3', 's9']));
    expect(outcome).toBe('confirmed');
    for (const { change, throughput } of effects.filter((e) => !['s3', 's9'].includes(e.change.id)))
      expect({ id: change.id, off: Math.abs(throughput!.ratio - 1) < 0.06 }).toEqual({ id: change.id, off: true });
  }
});

test('two changes that undo each other are never confirmed together', () => {
  const truth = {
    throughput: { s3: 1.3, s9: 1.25 },
    together: ['s3', 's9', 1 / (1.3 * 1.25)] as [string, string, number],
  };
  for (let seed = 0; seed < 10; seed++) expect(judged(truth, seed).outcome).not.toBe('confirmed');
});

test('candidates of one setting are told apart, and the better one is confirmed', () => {
  const changes = [changeOf('low', 'pool'), changeOf('high', 'pool'), ...CHANGES.slice(0, 8)];
  for (let seed = 0; seed < 10; seed++) {
    const { chosen, effects, outcome } = judged({ throughput: { low: 0.85, high: 1.2 } }, seed, changes);
    expect(chosen).toContain('high');
    expect(outcome).toBe('confirmed');
    const ratio = (id: string) => effects.find((e) => e.change.id === id)!.throughput!;
    expect(ratio('low').most).toBeLessThan(1);
    expect(ratio('high').ratio).toBeGreaterThan(1.12);
    expect(ratio('high').ratio).toBeLessThan(1.28);
  }
});

test('the latency at the same arrival rate is given beside a gain; values that make it much worse are not confirmed', () => {
  const with3 = (latency: number) =>
    judged({ throughput: { s3: 1.5 }, latency: { s3: latency }, noise: 0.02 }, 1, CHANGES, 1.5 * HOURS);
  const { outcome, gain, answer } = with3(1.15);
  expect(outcome).toBe('confirmed');
  expect(gain!.latency!.ratio.least).toBeGreaterThan(1.05);
  expect(gain!.latency!.rate).toBeLessThan(0.6 * gain!.baseline);
  expect(answer).toMatch(new RegExp(`^${changeText(CHANGES.find(({ id }) => id === 's3')!)}: .* of the p95 at `));
  expect(with3(2)).toMatchObject({ outcome: 'nothing', gain: { throughput: expect.anything() as object } });
});

test('a screening whose trials take three times as long leaves time for the confirmation', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01, slower: 3 });
  const of = (stage: string) => all.filter((t) => t.stage === stage).length;
  expect(of('screening')).toBeLessThan(record.rows.length);
  expect(of('confirmation')).toBeGreaterThanOrEqual(8);
  expect(judgeTune(record, all)).toMatchObject({ outcome: 'confirmed', chosen: ['s3'], trials: { left: 0 } });
});

test('where nothing is to be confirmed, the screening has the time of the confirmation, too', () => {
  const record = tuneRecord(CHANGES.slice(0, 5));
  const all = simulate(record, { noise: 0.01, slower: 3 });
  const left = record.budgetSeconds - 3 * TRIAL_SECONDS * all.length;
  expect(all.every(({ stage }) => stage === 'screening')).toBe(true);
  expect(left).toBeGreaterThanOrEqual(0);
  expect(left).toBeLessThan(3 * TRIAL_SECONDS);
  expect(judgeTune(record, all)).toMatchObject({ chosen: [], trials: { left: 0 } });
  // What it tries then makes the answer more exact; there is one before.
  const before = judgeTune(record, all.slice(0, -2));
  expect(before).toMatchObject({ outcome: 'nothing', trials: { left: expect.any(Number) as number } });
  expect(before.trials.left).toBeGreaterThan(0);
});

test('a gain too small to matter is neither chosen nor confirmed', () => {
  const record = tuneRecord(CHANGES);
  const small = simulate(record, { throughput: { s3: 1.03 }, noise: 0.001 });
  expect(judgeTune(record, small)).toMatchObject({ outcome: 'nothing', chosen: [] });
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.001 });
  const less = all.map((t) =>
    t.stage === 'confirmation' && t.changes.length > 0 ? { ...t, perSecond: t.perSecond! / 1.46 } : t,
  );
  expect(judgeTune(record, less)).toMatchObject({
    outcome: 'nothing',
    gain: { throughput: { least: expect.any(Number) as number } },
  });
  expect(judgeTune(record, less).gain!.throughput.least).toBeGreaterThan(1);
});

test('a gain of changes that were confirmed together is not that of some of them', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const more = all.map((t) =>
    t.stage === 'screening' || t.changes.length === 0 ? t : { ...t, changes: ['s3', 's4'] },
  );
  expect(judgeTune(record, more)).toMatchObject({ outcome: 'open', chosen: ['s3'] });
});

test('of changes that the chart refuses together, the better one is chosen', () => {
  const record = { ...tuneRecord(CHANGES), conflicts: [['s2', 's3'] as [string, string]] };
  const all = simulate(record, { throughput: { s2: 1.3, s3: 1.5 }, noise: 0.01 });
  expect(judgeTune(record, all).chosen).toEqual(['s3']);
});

test('latencies that are not all measured leave a confirmed gain as it is', () => {
  const record = tuneRecord(CHANGES, 1.5 * HOURS);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.02 });
  const before = all.filter(({ stage }) => stage !== 'latency');
  expect(judgeTune(record, before)).toMatchObject({ outcome: 'confirmed', trials: { left: 8 } });
  expect(judgeTune(record, before).gain!.latency).toBeUndefined();
});

test('where nothing helps, better values are confirmed in fewer than 1 of 20 runs', () => {
  const outcomes = Array.from({ length: 100 }, (_, seed) => judged({}, seed).outcome);
  expect(outcomes.filter((o) => o === 'confirmed').length).toBeLessThan(5);
});

test('without noise, what does nothing is said to have no effect', () => {
  const { outcome, effects } = judged({ noise: 0.005 });
  expect(outcome).toBe('nothing');
  expect(effects.every((e) => e.finding !== 'open')).toBe(true);
});

test('a change with which n8n dies is named, and the others are still told', () => {
  const { effects, chosen } = judged({ throughput: { s3: 1.5 }, dies: 's7', noise: 0.01 });
  expect(effects.find((e) => e.change.id === 's7')).toMatchObject({
    finding: 'fails',
    failures: { why: expect.stringContaining('OOMKilled') as string },
  });
  expect(effects.filter((e) => e.finding === 'fails')).toHaveLength(1);
  expect(chosen).toContain('s3');
});

test('of two values of one setting, the better one is chosen', () => {
  const changes = [changeOf('low', 'pool'), changeOf('high', 'pool'), ...CHANGES.slice(0, 5)];
  const { chosen } = judged({ throughput: { low: 1.2, high: 1.6 }, noise: 0.01 }, 1, changes);
  expect(chosen).toContain('high');
  expect(chosen).not.toContain('low');
});

test('memory that a change takes is told apart from throughput', () => {
  const { effects } = judged({ memory: { s2: 1.4 }, noise: 0.02 });
  const { throughput, memory } = effects.find((e) => e.change.id === 's2')!;
  expect(memory!.least).toBeGreaterThan(1.2);
  expect(throughput!.least).toBeLessThan(1);
});

test('the answer is open until all trials are measured', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const screening = all.filter(({ stage }) => stage === 'screening');
  expect(all.filter(({ stage }) => stage === 'confirmation')).toHaveLength(20);
  expect(judgeTune(record, [])).toMatchObject({ outcome: 'open', chosen: [] });
  expect(judgeTune(record, screening.slice(0, 12))).toMatchObject({ outcome: 'open', chosen: [] });
  expect(judgeTune(record, screening)).toMatchObject({ outcome: 'open', chosen: ['s3'] });
  expect(judgeTune(record, all.slice(0, -1))).toMatchObject({ outcome: 'open', trials: { left: 1 } });
  expect(judgeTune(record, all)).toMatchObject({ outcome: 'confirmed', trials: { left: 0 } });
});

test('better values with which n8n dies are not confirmed', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const died = (t: TrialRecord): TrialRecord =>
    t.stage === 'confirmation' && t.changes.length > 0 ? { ...t, failed: 'main died (OOMKilled)' } : t;
  expect(judgeTune(record, all.map(died))).toMatchObject({
    outcome: 'nothing',
    answer: expect.stringContaining('OOMKilled') as string,
  });
});

test('one deployment that is not ready is not the fault of better values', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const first = all.findIndex((t) => t.stage === 'confirmation' && t.changes.length > 0);
  const { perSecond: _, ...rest } = all[first]!;
  const failed: TrialRecord = { ...rest, failed: 'main was not ready after 120 s', notReady: true };
  expect(judgeTune(record, all.with(first, failed))).toMatchObject({ outcome: 'confirmed' });
  const died: TrialRecord = { ...rest, failed: 'main died (OOMKilled)' };
  expect(judgeTune(record, all.with(first, died))).toMatchObject({ outcome: 'nothing' });
});

test('a confirmation that neither shows nor excludes a gain leaves it open', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const noisy = all.map((t, i) => (t.stage === 'confirmation' ? { ...t, perSecond: i % 3 === 0 ? 40 : 90 } : t));
  expect(judgeTune(record, noisy)).toMatchObject({ outcome: 'open' });
});

test('a disturbed trial is no failure of the changes that it had', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const disturbed = all.map((t, i): TrialRecord => {
    if (i !== 2 && !(t.stage === 'confirmation' && t.row === 1)) return t;
    const { perSecond: _, ...rest } = t;
    return { ...rest, disturbed: 'other processes took the cores' };
  });
  const { outcome, effects } = judgeTune(record, disturbed);
  expect(outcome).toBe('confirmed');
  expect(effects.every((e) => e.finding !== 'fails')).toBe(true);
});

test('a change that gives more, but of which some trials failed, is not chosen', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5, s4: 1.5 }, noise: 0.01 });
  const its = all.filter((t) => t.stage === 'screening' && t.changes.includes('s3')).slice(0, 3);
  const some = all.map((t): TrialRecord => {
    const { perSecond: _, ...rest } = t;
    return its.includes(t) ? { ...rest, failed: 'main died (OOMKilled)' } : t;
  });
  const { effects, chosen } = judgeTune(record, some);
  const effect = effects.find((e) => e.change.id === 's3')!;
  expect(effect).toMatchObject({ finding: 'more', isSuspect: true, failures: { failed: 3 } });
  expect(chosen).not.toContain('s3');
  expect(chosen).toContain('s4');
});

test('a change that costs something is chosen only if chance does not make it the best of all', () => {
  const costly = CHANGES.map((change) => ({ ...change, trades: 'durability' as const }));
  const wrong = (changes: typeof CHANGES) =>
    Array.from({ length: 100 }, (_, seed) => judged({}, seed, changes).chosen.length > 0).filter(Boolean).length;
  expect(wrong(costly)).toBeLessThan(8);
  expect(wrong(CHANGES)).toBeGreaterThan(wrong(costly));
  expect(judged({ throughput: { s3: 1.33 } }, 1, costly)).toMatchObject({ outcome: 'confirmed', chosen: ['s3'] });
});

test('no better value is found only where none may be better', () => {
  const record = tuneRecord(CHANGES.slice(0, 4));
  const all = simulate(record, { noise: 0.05 });
  expect(judgeTune(record, all)).toMatchObject({
    outcome: 'open',
    answer: expect.stringMatching(/not decided/) as string,
  });
  const disturbed = simulate(record, {}).map((t, i): TrialRecord => {
    const { perSecond: _, ...rest } = t;
    return i % 6 === 0 ? t : { ...rest, disturbed: 'others took the machine' };
  });
  expect(judgeTune(record, disturbed)).toMatchObject({ outcome: 'open' });
});

test('an n8n that never works gives no answer', () => {
  const record = tuneRecord(CHANGES);
  const failed = simulate(record, {}).map(({ perSecond: _, ...t }): TrialRecord => ({
    ...t,
    failed: 'main is not ready',
  }));
  expect(
    judgeTune(
      record,
      failed.filter(({ stage }) => stage === 'screening'),
    ),
  ).toMatchObject({ outcome: 'open', chosen: [] });
});

test('of two loads, what gives one of them much is chosen, and its effect on each is told', () => {
  const record = twoLoads(tuneRecord(CHANGES, 2 * HOURS));
  const { outcome, chosen, effects, gain } = judgeTune(record, simulate(record, { loads: [{}, { s3: 1.5 }] }));
  expect(outcome).toBe('confirmed');
  expect(chosen).toContain('s3');
  const { loads } = effects.find((e) => e.change.id === 's3')!;
  expect(loads!.code!.least).toBeGreaterThan(1.3);
  expect(loads!.ack!.most).toBeLessThan(1.1);
  expect(gain!.loads!.code!.ratio).toBeGreaterThan(1.3);
});

test('of two loads, what is better in the mean and worse for one of them is not chosen', () => {
  const record = twoLoads(tuneRecord(CHANGES, 2 * HOURS));
  const { chosen, effects } = judgeTune(record, simulate(record, { loads: [{ s3: 0.8 }, { s3: 2 }] }));
  expect(effects.find((e) => e.change.id === 's3')!.finding).toBe('more');
  expect(chosen).not.toContain('s3');
});

test('a change that failed in every trial that was not disturbed fails', () => {
  const record = tuneRecord(CHANGES);
  const trials = simulate(record, { dies: 's5' });
  const first = trials.findIndex(({ changes }) => changes.includes('s5'));
  const { failed: _, ...quiet } = trials[first]!;
  const { effects } = judgeTune(record, trials.with(first, { ...quiet, disturbed: 'others took the machine' }));
  expect(effects.find((e) => e.change.id === 's5')).toMatchObject({
    finding: 'fails',
    failures: { why: expect.stringMatching(/died/) },
  });
});
