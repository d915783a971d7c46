import { join } from 'node:path';
import { experimentsFolder } from '../../../experiments/src/paths.js';
import { expandCells, isMatch } from '../../../experiments/src/spec/cells.js';
import { readExperiment } from '../../../experiments/src/spec/read.js';
import { EXPERIMENTS } from '../recorded.js';

test.each(EXPERIMENTS)('%s: each claim is about cells of the quick grid', (name) => {
  const experiment = readExperiment(join(experimentsFolder, `${name}.yaml`));
  const cells = expandCells(experiment, 'quick').map(({ part, of, webhook }) => ({ part: part.part, of, webhook }));
  for (const { says, of, over } of experiment.claims)
    for (const filter of over ? [of, over] : [of])
      expect({ says, cells: cells.filter((one) => isMatch(one, filter)).length }).not.toEqual({ says, cells: 0 });
});

test('expandCells leaves skipped cells out of the quick grid only', () => {
  const experiment = readExperiment(join(experimentsFolder, 'overload.yaml'));
  const of = (grid: 'quick' | 'full') =>
    expandCells(experiment, grid)
      .filter(({ part, of }) => part.part === 'regular' && of.workload === 'webhook-v1.json')
      .map((cell) => cell.of.times);
  expect(of('quick')).toEqual([3, 3]);
  expect(new Set(of('full'))).toEqual(new Set([1, 1.5, 2, 3, 5]));
});
