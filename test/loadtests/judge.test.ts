import { jest } from '@jest/globals';
import fc from 'fast-check';
import { catalogue, importLib, truth, workloads } from './support.js';

const { expectedAnswer, findFault } = await importLib('proof');
const { createJudge } = await importLib('judge');

const queryOf = (workload: string): Record<string, number> =>
  Object.fromEntries(Object.entries<any>(catalogue[workload].query).map(([name, range]) => [name, range.default]));

const truthOf = (workload: string): any => {
  const parameters = Object.entries(queryOf(workload)).map(([name, value]) => `${name}=${value}`);
  return truth(`${catalogue[workload].path}?${parameters.join('&')}`);
};

const response = (answer: unknown, duration = 60_000, status = 200) => ({
  status,
  timings: { duration },
  body: typeof answer === 'string' || answer === null ? answer : JSON.stringify(answer),
});

/** The answer with one of its members, at any depth, changed, renamed, removed, doubled or moved to the end. */
function altered(answer: any, where: number, how: number): any {
  const copy = structuredClone(answer);
  const places: [object: any, key: string][] = [];
  const visit = (object: any) => {
    for (const key of Object.keys(object)) {
      places.push([object, key]);
      if (object[key] && typeof object[key] === 'object') visit(object[key]);
    }
  };
  visit(copy);
  const [object, key] = places[where % places.length]!;
  const value = object[key];
  const change: (() => void)[] = [
    () => (object[key] = typeof value === 'number' ? value - 1 : `${key}"{}\\`),
    () => (object[key] = String(value)),
    () => (object[key] = { [key]: value }),
    () => (object[key] = [value]),
    () => (object[key] = null),
    () => delete object[key],
    () => (object[`x"${key}`] = value),
    () => {
      delete object[key];
      object[key] = value;
    },
  ];
  change[how % change.length]!();
  return copy;
}

test.each(workloads)('createJudge gives any answer of %s the same verdict as findFault', (workload) => {
  const expected = expectedAnswer(workload, queryOf(workload));
  const faultOf = createJudge(expected);
  const answers = fc.array(fc.tuple(fc.nat(60), fc.nat(7), fc.constantFrom(0, 60_000), fc.constantFrom(200, 500, 0)), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(answers, (sequence) => {
      for (const [where, how, duration, status] of sequence) {
        const asked = response(altered(truthOf(workload), where, how), duration, status);
        expect([asked.body, faultOf(asked)]).toEqual([asked.body, findFault(expected, asked)]);
        expect(faultOf(response(truthOf(workload)))).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
});

test.each(workloads)('createJudge parses the true answer of %s at most once', (workload) => {
  const faultOf = createJudge(expectedAnswer(workload, queryOf(workload)));
  faultOf(response(truthOf(workload)));
  const asked = response(truthOf(workload));
  const parse = jest.spyOn(JSON, 'parse');
  try {
    expect(faultOf(asked)).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});

test.each(['no JSON', '', null])('a body that is %j is wrong', (body) => {
  for (const workload of workloads)
    expect(createJudge(expectedAnswer(workload, queryOf(workload)))(response(body))).toBe('json');
});

test('createJudge checks only the status of a custom webhook', () => {
  const faultOf = createJudge({ statuses: { min: 201, max: 201 } });
  expect(faultOf(response(null, 5, 201))).toBeUndefined();
  expect(faultOf(response(null, 5, 200))).toBe('status');
});
