import { splitCores, describeSharing } from '../../../experiments/src/measure/cores.js';

test.each([
  [[0], undefined],
  [[0, 1], undefined],
  [[2, 3, 6, 7], { k6: '2', others: '3,6,7' }],
  [[0, 1, 2, 3, 4, 5, 6, 7], { k6: '0,1', others: '2,3,4,5,6,7' }],
])('splitCores gives k6 its own of the cores %j if there are enough', (allowed, cores) => {
  expect(splitCores(allowed)).toEqual(cores);
});

test.each([
  [[0], undefined],
  [[0, 1], { k6: '0', others: '1' }],
])('splitCores gives k6 its own of the cores %j for a part with `apart`', (allowed, cores) => {
  expect(splitCores(allowed, true)).toEqual(cores);
});

test('describeSharing names the cores of k6 and of everything else', () => {
  expect(describeSharing(undefined, 2)).toContain('2 cores');
  const shared = describeSharing({ k6: '0', others: '1,2,3' });
  for (const cores of [' 0,', ' 1,2,3']) expect(shared).toContain(cores);
});
