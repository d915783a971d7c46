import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { readExperiment } from '../../../experiments/src/spec/read.js';

const TEXT = `
name: x
title: X
question: x
advice: x
doubt: x
setting: x
origin: x
today: x
chart: x
parts:
  - part: control
    title: X
    on: control
    load: { webhook: /webhook/count, clients: 1 }
    dimensions: { n: [50, 60], server: [bare] }
    measures: [rate]
plots: [{ title: X, kind: bars, part: control, measure: rate, x: n, series: server }]
claims:
  - { says: x, measure: rate, of: { part: control, n: 50 }, atLeast: 1 }
`;

test.each([
  ['a part', 'part: control, n: 50', 'part: controls, n: 50', ['controls', 'did you mean "control"']],
  ['a dimension', 'x: n, series', 'x: m, series', ['dimension of control "m"', 'did you mean "n"']],
  ['a measure', 'measure: rate', 'measure: rats', ['claims.0.measure', 'rate']],
  ['a key', 'atLeast:', 'atleast:', ['claims.0.atleast']],
])('readExperiment refuses %s that does not exist, and names a similar one', async (_, right, wrong, names) => {
  const file = join(await mkdtemp(join(tmpdir(), 'spec-')), 'x.yaml');
  await writeFile(file, TEXT);
  expect(readExperiment(file).name).toBe('x');
  const last = TEXT.lastIndexOf(right);
  await writeFile(file, TEXT.slice(0, last) + wrong + TEXT.slice(last + right.length));
  expect(() => readExperiment(file)).toThrow(UsageError);
  for (const name of names) expect(() => readExperiment(file)).toThrow(name);
});
