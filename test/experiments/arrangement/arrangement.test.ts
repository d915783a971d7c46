import { UsageError } from '../../../capacity/src/core/errors.js';
import { checkArrangement, countProcessTrees } from '../../../experiments/src/arrangement/arrangement.js';

test('processes that share a port are one process tree', () => {
  const trees = (arrangement: 'turns' | 'cluster') => countProcessTrees({ arrangement, processes: 3 });
  expect([trees('turns'), trees('cluster')]).toEqual([3, 1]);
});

test.each([
  ['one', 2],
  ['turns', 0],
  ['iptables', 2],
] as const)('%s with %d processes is refused', (arrangement, processes) => {
  expect(() => checkArrangement({ arrangement, processes, counts: '' })).toThrow(UsageError);
});
