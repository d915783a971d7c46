import { scalabilitySection } from '../../../experiments/src/judge/scalability.js';
import type { Experiment } from '../../../experiments/src/spec/schema.js';
import { closedLoad, createCellRecord } from '../recorded.js';

const sentenceOf = (rates: Record<number, number>) => {
  const cells = Object.entries(rates).map(([workers, rate]) =>
    createCellRecord({ part: 'burn', of: { workers: Number(workers) }, load: closedLoad(rate * 10) }),
  );
  return scalabilitySection(
    { scalability: [{ part: 'burn' }] } as Pick<Experiment, 'scalability'> as Experiment,
    cells,
  )[1]!;
};

test('scalabilitySection gives no figure for three numbers of workers', () => {
  const sentence = sentenceOf({ 1: 36.5, 2: 70, 4: 88 });
  expect(sentence).toContain('neither contention nor');
  expect(sentence).not.toMatch(/\d\.\d/);
});

test('scalabilitySection gives a peak with its interval for more numbers of workers', () => {
  const sentence = sentenceOf({ 1: 36, 2: 68, 3: 87, 4: 97, 6: 95, 8: 85, 10: 72 });
  expect(sentence).toMatch(/capacity falls above [\d.]+ \([\d.]+ to [\d.∞]+\) workers/);
  expect(sentence).toMatch(/λ = [\d.]+\/s \([\d.]+ to [\d.]+\)/);
});
