import { findBusiestHour, countByMinute, buildRecording } from '../../../capacity/src/load/busiest-hour.js';

const NINE = Date.UTC(2026, 10, 20, 9);
const at = (minute: number, n = 1, workflowId = 'a') =>
  Array.from({ length: n }, (_, i) => ({ workflowId, at: NINE + minute * 60_000 + i }));

test('the busiest hour may begin on any minute', () => {
  const started = [...at(0, 5), ...at(45, 10), ...at(70, 10), ...at(104, 3), ...at(105, 4), ...at(300, 20)];
  expect(findBusiestHour(countByMinute(started))).toBe(NINE + 45 * 60_000);
});

test('with executions in a single minute, the hour begins with that minute', () => {
  expect(findBusiestHour(countByMinute(at(7, 3)))).toBe(NINE + 7 * 60_000);
});

test('a recording lists the times of each workflow within the hour, the busiest workflow first', () => {
  const started = [...at(-1, 2), ...at(2, 1, 'b'), ...at(5, 2), ...at(1), ...at(60, 3)];
  expect(buildRecording(started, NINE, 'startedAt')).toMatchObject({
    from: '2026-11-20T09:00:00.000Z',
    seconds: 3600,
    workflows: [
      { id: 'a', count: 3, offsets: [60, 300, 300.001] },
      { id: 'b', count: 1, offsets: [120] },
    ],
  });
});

test('without executions there are no workflows', () => {
  expect(buildRecording([], findBusiestHour(countByMinute([])), 'x').workflows).toEqual([]);
});
