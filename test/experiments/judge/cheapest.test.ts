import { cheapestSection } from '../../../experiments/src/judge/cheapest.js';
import type { Experiment } from '../../../experiments/src/spec/schema.js';
import { closedLoad, createCellRecord } from '../recorded.js';

const experiment = { cheapest: [{ part: 'local', p99: 1 }], parts: [{ part: 'local', title: 'Local' }] } as Experiment;
const ended = (n: number) => ({ accepted: n, completed: n, failed: 0, drainSeconds: 1 });
const cell = (cpu: string, perHour: number, answers: number, dropped: number) =>
  createCellRecord({
    part: 'local',
    of: { cpu },
    load: { ...closedLoad(answers), dropped, asked: 6, clients: undefined, executions: ended(answers) },
    reserved: { cores: 1, memoryMib: 1024, perHour },
  });

test('cheapestSection never names a cell that dropped requests, even if its p99 is short', () => {
  const [, sentence] = cheapestSection(experiment, [cell('200m', 1, 128, 52), cell('600m', 2, 360, 0)]);
  expect(sentence).toContain(
    '**cpu 600m** is the cheapest that held the rate with a p99 within 1 s, of 2 configurations',
  );
  expect(sentence).not.toContain('do not bound');
  expect(sentence).toContain('One run confirms nothing');
});

test('cheapestSection warns about a p99 from too few answers', () => {
  expect(cheapestSection(experiment, [cell('600m', 2, 181, 0)])[1]).toContain(
    '181 answers are too few for a p99 (at least 299 are needed)',
  );
  expect(cheapestSection(experiment, [cell('200m', 1, 128, 52)])[1]).toContain(
    'none of 1 configurations held the rate',
  );
});
