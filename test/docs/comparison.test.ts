import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

test.each([
  ['charts', /handles ([\d.]+) × as much as the best of the others/g],
  ['defaults', /With(?:out)? expressions (?:they|the chart's defaults) handle ([\d.]+) × as much as n8n's/g],
])('README repeats the ratios of the published run: %s', (experiment, answer) => {
  const page = readFileSync(join(root, `docs/experiments/${experiment}.md`), 'utf8');
  const ratios = [...page.matchAll(answer)].map(([, ratio]) => ratio);
  const row = readFileSync(join(root, 'README.md'), 'utf8')
    .split('\n')
    .find((line) => line.includes(`docs/experiments/${experiment}.md`))!;
  const said = [...row.matchAll(/[\d.]+(?= times)/g)].map(([figure]) => Number(figure));
  expect(ratios).toHaveLength(2);
  expect(said).toEqual(ratios.map((ratio) => Number(Number(ratio).toFixed(1))));
});
