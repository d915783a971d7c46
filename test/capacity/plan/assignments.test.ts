import { splitJsonAssignment, splitAssignment, withPaths } from '../../../capacity/src/plan/assignments.js';
import { expectRefused } from './refused.js';

test.each([
  ['a.b=1', [[['a', 'b'], '1']]],
  [
    'a=1,b.c=2',
    [
      [['a'], '1'],
      [['b', 'c'], '2'],
    ],
  ],
  [
    'a={x,y},b=2',
    [
      [['a'], '{x,y}'],
      [['b'], '2'],
    ],
  ],
  [String.raw`a=x\,y=z`, [[['a'], String.raw`x\,y=z`]]],
  ['list[0].name=A', [[['list', 'name'], 'A']]],
  [String.raw`annotations.a\.b=c`, [[['annotations', String.raw`a\.b`], 'c']]],
  ['a=', [[['a'], '']]],
])('the parts of %s', (assignment, parts) => {
  expect(splitAssignment(assignment, '--set').map(({ path, value }) => [path, value])).toEqual(parts);
});

test.each([
  [
    'a.b=[1,2]',
    [
      [
        ['a', 'b'],
        [1, 2],
      ],
    ],
  ],
  [
    'a={"x":1,"y=2":3},b="t"',
    [
      [['a'], { x: 1, 'y=2': 3 }],
      [['b'], 't'],
    ],
  ],
  [
    'a="x,b=1",c=2',
    [
      [['a'], 'x,b=1'],
      [['c'], 2],
    ],
  ],
  ['a=', [[['a'], null]]],
  [' {"worker":{"replicas":2}}', [[[], { worker: { replicas: 2 } }]]],
])('the parts of the JSON %s', (assignment, parts) => {
  expect(splitJsonAssignment(assignment, '--set-json').map(({ path, value }) => [path, value])).toEqual(parts);
});

test.each([
  ['a=text', ['--set-json', 'a="text"']],
  ['a', ['--set-json', 'key=JSON']],
  ['{"a":', ['--set-json', 'not JSON']],
  ['a=1,b=text', ['--set-json', 'b']],
])('refuses the JSON %s', (assignment, parts) =>
  expectRefused(() => splitJsonAssignment(assignment, '--set-json'), parts),
);

test.each([
  ['me:hunter2@h', splitAssignment],
  ['externalRedis.host=me:hunter2@h', splitJsonAssignment],
  ['encryptionKey.value=hunter2', splitJsonAssignment],
  ['{"a":"me:hunter2@h"', splitJsonAssignment],
])('a refusal of %s shows no secret', (assignment, read) => {
  expectRefused(() => read(assignment, '--option'), ['--option']);
  expect(() => read(assignment, '--option')).not.toThrow('hunter2');
});

test('other paths: commas and backslashes in them are escaped', () => {
  expect(withPaths(String.raw`a=x.pem,b=y\,z.pem`, '--set-file', (path) => `/c,d/${path}`)).toBe(
    String.raw`a=/c\,d/x.pem,b=/c\,d/y\,z.pem`,
  );
});
