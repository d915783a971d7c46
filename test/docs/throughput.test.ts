import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { withGap, type GapRecord } from '../../bench/gap/document.js';
import { stepFlags, STEPS } from '../../bench/gap/steps.js';
import { renderChart } from '../../capacity/src/chart/render.js';
import { commandNamed } from '../support/program.js';
import { containerEnvironment, generateSecrets } from '../../capacity/src/chart/environment.js';
import { listLocalPods } from '../../capacity/src/chart/pods.js';
import type { ValidateOptions } from '../../capacity/src/plan/options.js';
import { planFromOptions } from '../../capacity/src/plan/validate.js';
import { helm } from '../support/tools.js';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/throughput.md'), 'utf8');

const planOf = async (flags: string[]) => {
  const command = await commandNamed('validate');
  expect(command.parseOptions(flags)).toEqual({ operands: [], unknown: [] });
  return planFromOptions(command.opts<ValidateOptions>());
};

test('the table is rendered from the record', async () => {
  const file = join(root, 'bench/results/gap.json');
  const record = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as GapRecord) : undefined;
  const options = { ...(await resolveConfig(join(root, 'docs/throughput.md'))), parser: 'markdown' };
  expect(await format(withGap(page, record), options)).toBe(page);
});

test('each row is compared with the one before it; a step without a figure is not', () => {
  const rates = {
    'as measured by n8n': 110,
    defaults: 27.5,
    chart: null,
    expressions: 20,
    'cheaper isolates': 30,
    sustained: 15,
    legacy: 45,
  };
  const text = withGap(page, { cpus: 2, cpuModel: 'any', versions: { n8n: '2.41.1', k6: 'v2.2.0' }, rates });
  const rows = text.split('\n').filter((line) => / \| (no figure|[\d.]+\/s) \| /.test(line));
  expect(rows.map((row) => row.split(' | ').slice(1, 3))).toEqual([
    ['220/s', ''],
    ['110/s', '× 0.50'],
    ['28/s', '× 0.25'],
    ['no figure', ''],
    ['20/s', ''],
    ['30/s', '× 1.50'],
    ['15/s', '× 0.50'],
    ['45/s', '× 3.00'],
  ]);
});

test.each(STEPS)('$name: the flags give a plan and values that the chart renders', async (step) => {
  const { loads, rates, slo, values } = await planOf(stepFlags(step));
  expect(loads).toHaveLength(1);
  if (['sustained', 'legacy'].includes(step.name)) expect([rates.kind, slo.p95]).toEqual(['search', 0.8]);
  else expect([rates, slo]).toMatchObject([{ kind: 'closed', clients: 100 }, { p95: 100 }]);
  const objects = await renderChart(helm, values);
  const main = listLocalPods(objects).find(({ component }) => component === 'main')!;
  const context = { objects, generated: generateSecrets(objects), podName: main.name };
  const environment = containerEnvironment(main.container, context);
  expect(environment).toMatchObject({
    DB_TYPE: 'postgresdb',
    N8N_EXPRESSION_ENGINE: ['as measured by n8n', 'legacy'].includes(step.name) ? 'legacy' : 'vm',
  });
  if (step.name === 'defaults') expect(environment.N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE).not.toBe('true');
  if (step.name === 'chart') expect(environment.N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE).toBe('true');
  if (['expressions', 'cheaper isolates'].includes(step.name))
    expect(/lazy-character-table\.js.*full-code-cache\.js/.test(environment.NODE_OPTIONS!)).toBe(
      step.name === 'cheaper isolates',
    );
});

test('the costs of an isolate match the record', () => {
  const { figures } = JSON.parse(readFileSync(join(root, 'bench/results/isolates.json'), 'utf8')) as {
    figures: ({ n8n: string } & Record<'cpuMs' | 'specialMs' | 'mib', Record<'asIs' | 'chart' | 'ratio', number>>)[];
  };
  const [, table] = /<!-- isolates -->([^]*)<!-- \/isolates -->/.exec(page)!;
  const rows = [...table!.matchAll(/^\| (\d+\.[\d.]+) .*\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) × +\|$/gm)];
  const rounded = (value: number) => Number(value.toPrecision(2));
  expect(rows.map(([, n8n, ...costs]) => [n8n, ...costs.map(Number)])).toEqual(
    figures.flatMap(({ n8n, cpuMs, specialMs, mib }) =>
      [cpuMs, specialMs, mib].map(({ asIs, chart, ratio }) => [n8n, ...[asIs, chart, ratio].map(rounded)]),
    ),
  );
});
