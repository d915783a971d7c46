import { createGrid, sweepVirtually } from '../../../../bench/sweep/run.js';

test.each([
  ['with a target', { target: '20/s', headroom: '1.3' }],
  ['without one', { precision: '25%' }],
])('%s, the order of a sweep finds what the full grid finds, in less than 75 %% of its load time', async (_, asked) => {
  const cells = createGrid(9);
  const full = await sweepVirtually(cells, asked, 'all', 1);
  const ordered = await sweepVirtually(cells, asked, 'front', 1);
  expect(ordered.cost).toBeLessThanOrEqual(full.cost * 1.05);
  expect(ordered.loadSeconds).toBeLessThan(0.75 * full.loadSeconds);
  expect(full.configurations).toBe(cells.length);
});
