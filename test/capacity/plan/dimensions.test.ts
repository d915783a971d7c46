import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../../capacity/src/core/paths.js';
import { DIMENSION_NAMES, translateDimensions, nestValues } from '../../../capacity/src/plan/dimensions.js';
import { expectRefused } from './refused.js';

describe('dimensions', () => {
  test.each([
    [{ mode: 'queue' }, 'regular', { 'executions.mode': 'queue', 'database.type': 'postgresql' }],
    [{ workers: 3 }, 'queue', { 'worker.replicas': 3 }],
    [{ concurrency: 5 }, 'queue', { 'worker.concurrency': 5 }],
    [{ concurrency: 5 }, 'regular', { 'executions.concurrencyLimit': 5 }],
    [{ mode: 'regular', heap: 700 }, 'queue', { 'executions.mode': 'regular', 'main.heap.n8n': 700 }],
    [{ cpu: '2' }, 'queue', { 'worker.resources.requests.cpu': '2', 'worker.resources.limits.cpu': '2' }],
    [
      { expressionEngine: 'legacy' },
      'regular',
      { 'expressionEngine.type': 'legacy', 'expressionEngine.acceptLessSafe': true },
    ],
    [{ n8n: '1.123.81' }, 'regular', { 'image.tag': '1.123.81' }],
    [{ 'webhook.replicas': 2 }, 'queue', { 'webhook.replicas': 2 }],
  ])('%j in %s mode', (values, mode, settings) => expect(translateDimensions(values, mode)).toEqual(settings));

  test('an unknown one is refused with the nearest', () => {
    expectRefused(() => translateDimensions({ worker: 2 }, 'queue'), ['dimensions.worker', '"workers"']);
  });

  test.each(['__proto__', 'main.__proto__.x', 'toString'])('%s, which every object has, is unknown, too', (name) => {
    const configuration = JSON.parse(`{"${name}": 2}`) as Record<string, number>;
    expectRefused(() => translateDimensions(configuration, 'queue'), [`dimensions.${name}`]);
  });

  test('each has a row in docs/size.md', () => {
    const page = readFileSync(join(repositoryFolder, 'docs/size.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\|.*\| `\[/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...DIMENSION_NAMES].sort());
  });

  test('become the values of a file', () => {
    expect(nestValues({ 'worker.replicas': 2, 'worker.resources.limits.cpu': '1', 'image.tag': '2.41.1' })).toEqual({
      worker: { replicas: 2, resources: { limits: { cpu: '1' } } },
      image: { tag: '2.41.1' },
    });
  });
});
