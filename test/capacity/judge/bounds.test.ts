import { clientBound, meanSeconds, slotBound } from '../../../capacity/src/judge/bounds.js';

test('a mix holds slots as long as its executions take on average', () => {
  const parts = [
    { workload: 'webhook-ack', weight: 9 },
    { workload: 'webhook-wait', weight: 1 },
  ];
  const mean = meanSeconds({ parts }, { 'webhook-ack': 0, 'webhook-wait': 5 });
  expect(mean).toBe(0.5);
  expect(slotBound(10, mean)).toMatchObject({ rate: 20 });
});

test('what takes no time has no bound', () => {
  expect([slotBound(10, 0), clientBound(8, 0)]).toEqual([undefined, undefined]);
  expect(clientBound(8, 2)).toMatchObject({ rate: 4 });
});
