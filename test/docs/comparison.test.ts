import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

test('README compares the charts with what their published run answers', () => {
  const page = readFileSync(join(root, 'docs/experiments/charts.md'), 'utf8');
  const ratios = [...page.matchAll(/takes ([\d.]+) × what the best of the others takes/g)].map(([, ratio]) => ratio);
  const row = readFileSync(join(root, 'README.md'), 'utf8')
    .split('\n')
    .find((line) => line.includes('docs/experiments/charts.md'))!;
  const said = [...row.matchAll(/[\d.]+(?= times)/g)].map(([figure]) => Number(figure));
  expect(ratios).toHaveLength(2);
  expect(said).toEqual(ratios.map((ratio) => Number(Number(ratio).toFixed(1))));
});
