import type { LoadPlan } from '../../../capacity/src/model/plan.js';
import { liveLine } from '../../../capacity/src/run/live-line.js';

const load = { name: 'webhook-ack' } as LoadPlan;

test.each([
  [-1, 'waiting for the last answers'],
  [39_500, '40 s left'],
  [61_000, '2 min left'],
  [3_600_000, '60 min left'],
  [3_601_000, '1 h 1 min left'],
  [7_199_000, '2 h 0 min left'],
  [7_260_000, '2 h 1 min left'],
])('%d ms before the end: %s', (leftMs, text) =>
  expect(liveLine(undefined, load, { rate: 5 }, leftMs)).toBe(`webhook-ack at 5/s, ${text}`),
);
