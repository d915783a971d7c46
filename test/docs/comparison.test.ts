import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

interface Cell {
  part: string;
  of: { workload: string; chart: string };
  overload?: { capacity: number };
}

test('README compares the charts with the figures of their published run', () => {
  const { cells } = JSON.parse(readFileSync(join(root, 'docs/experiments/charts.json'), 'utf8')) as { cells: Cell[] };
  const capacities = (workload: string, isOurs: boolean) =>
    cells
      .filter(
        ({ part, of }) => part === 'capacity' && of.workload === workload && (of.chart === 'n8n-tuned') === isOurs,
      )
      .map(({ overload }) => overload!.capacity);
  const most = (workload: string, isOurs: boolean) => Math.max(...capacities(workload, isOurs));
  const ratios = ['webhook-ack', 'webhook-expression'].map((workload) => most(workload, true) / most(workload, false));
  const row = readFileSync(join(root, 'README.md'), 'utf8')
    .split('\n')
    .find((line) => line.includes('docs/experiments/charts.md'))!;
  const said = [...row.matchAll(/[\d.]+(?= times)/g)].map(([figure]) => Number(figure));
  expect(said).toEqual([Number(ratios[0]!.toFixed(1)), Number(ratios[1]!.toFixed(1))]);
});
