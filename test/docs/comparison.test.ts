import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

test.each([
  ['charts', /takes ([\d.]+) × what the best of the others takes/g],
  ['defaults', /With(?:out)? expressions (?:they|the chart's defaults) take ([\d.]+) × what n8n's take/g],
])('README says what the published run answers: %s', (experiment, answer) => {
  const page = readFileSync(join(root, `docs/experiments/${experiment}.md`), 'utf8');
  const ratios = [...page.matchAll(answer)].map(([, ratio]) => ratio);
  const row = readFileSync(join(root, 'README.md'), 'utf8')
    .split('\n')
    .find((line) => line.includes(`docs/experiments/${experiment}.md`))!;
  const said = [...row.matchAll(/[\d.]+(?= times)/g)].map(([figure]) => Number(figure));
  expect(ratios).toHaveLength(2);
  expect(said).toEqual(ratios.map((ratio) => Number(Number(ratio).toFixed(1))));
});
