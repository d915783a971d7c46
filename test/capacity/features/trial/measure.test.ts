import { trialsLeftText } from '../../../../capacity/src/features/trial/measure.js';

test('what is left: how many, and how long as the mean of those measured', () => {
  expect(trialsLeftText(6, [{ tookSeconds: 50 }, { tookSeconds: 150 }])).toBe('; 6 left, about 10 min');
  expect(trialsLeftText(0, [{ tookSeconds: 50 }])).toBe('');
});
