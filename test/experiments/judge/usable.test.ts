import { inconclusiveReason } from '../../../experiments/src/judge/usable.js';

const overload = { capacity: 10, rate: 30, seconds: 30, answered: 300, served: 300, refused: 0, failed: 30 };

test.each(['deaths', 'refused', 'back', 'goodput'])(
  '%s is INCONCLUSIVE if the overload was smaller than asked',
  (measure) => {
    const cell = { of: { times: 3 }, overload: { ...overload, unclear: 'k6 sent only 330 of 900 planned requests' } };
    expect(inconclusiveReason(measure, cell)).toBe('only 1.1 times the capacity arrived instead of 3');
    expect(inconclusiveReason('capacity', cell)).toBeUndefined();
    expect(inconclusiveReason(measure, { ...cell, overload: { ...cell.overload, failed: 600 } })).toBeUndefined();
    expect(inconclusiveReason(measure, { of: { times: 3 } })).toBe('no overload was applied');
    expect(inconclusiveReason(measure, { of: {}, refused: 'the chart refused it' })).toBe('nothing ran');
    expect(inconclusiveReason('outcome', { of: { times: 3 }, refused: 'the chart refused it' })).toBeUndefined();
  },
);
