import { listConfigurations } from '../../../../../capacity/src/features/sweep/plan/configurations.js';

test('configurations are the grid, its last dimension fastest, each with a name that sorts', () => {
  const grid = listConfigurations({ mode: ['queue'], workers: [1, 2], 'worker.resources.limits.cpu': ['500m', 1] });
  expect(grid.map((c) => c.id)).toEqual([
    '1-mode-queue-workers-1-worker.resources.limits.cpu-500m',
    '2-mode-queue-workers-1-worker.resources.limits.cpu-1',
    '3-mode-queue-workers-2-worker.resources.limits.cpu-500m',
    '4-mode-queue-workers-2-worker.resources.limits.cpu-1',
  ]);
  expect(grid[3]!.values).toEqual({ mode: 'queue', workers: 2, 'worker.resources.limits.cpu': 1 });
});
