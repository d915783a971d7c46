import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import { chart, container, env, type Manifest, render, type Values, valuesFiles, workload } from './render.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const profiles = valuesFiles().filter((file) => file.startsWith('profiles/'));

/** Every "formula = number" of a text, with what the formula gives. */
function formulas(text: string): { formula: string; said: string; is: number }[] {
  return [...text.matchAll(/((?:\d[\d.]*|\()[\d.\s()×÷+-]*(?:\d|\))(?: s)?) = (\d[\d.]*\d|\d)/g)].map(
    ([, formula, said]) => ({
      formula: formula!,
      said: said!,
      is: Number(runInNewContext(formula!.replace(' s', '').replaceAll('×', '*').replaceAll('÷', '/'))),
    }),
  );
}

const cores = (quantity: string) => (quantity.endsWith('m') ? parseInt(quantity) / 1000 : Number(quantity));
const mebibytes = (quantity: string) => parseInt(quantity) * (quantity.endsWith('Gi') ? 1024 : 1);

/** Cores and MiB that all pods of the release ask for. */
function requests(objects: Manifest[]): { cores: number; mebibytes: number } {
  const sum = { cores: 0, mebibytes: 0 };
  for (const { kind, spec } of objects) {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') continue;
    const { containers, initContainers = [] } = spec.template.spec;
    for (const c of [...containers, ...initContainers.filter((c: any) => c.restartPolicy === 'Always')]) {
      sum.cores += spec.replicas * cores(c.resources.requests.cpu);
      sum.mebibytes += spec.replicas * mebibytes(c.resources.requests.memory);
    }
  }
  return sum;
}

it('have the names that users look for', () => {
  expect(profiles).toEqual(
    ['hardened', 'large', 'legacy-own', 'medium', 'queue', 'small'].map((name) => join('profiles', `${name}.yaml`)),
  );
});

it('are checked by formulas that detect errors', () => {
  expect(formulas('(1 + 2) × 20 = 60, 9 ÷ 2 s = 4.5/s')).toEqual([
    { formula: '(1 + 2) × 20', said: '60', is: 60 },
    { formula: '9 ÷ 2 s', said: '4.5', is: 4.5 },
  ]);
});

describe.each(profiles)('%s', (file) => {
  const written = readFileSync(join(chart, file), 'utf8');
  const text = written.replace(/^ *# ?/gm, '').replace(/\n(?!\n)/g, ' ');
  const values = parse(written) as Values;
  const objects = render(values);
  const [takes] = /Takes: [^\n]*?\)\.(?= |$)/m.exec(text) ?? [''];

  it('states the load it can take, and the source of that figure', () => {
    expect(takes).toMatch(/\d\/s \((measured: docs\/|computed: )/);
  });

  it('states the limit of concurrent requests if it refuses more', () => {
    const [, said] = /works on (\d+) requests at once/.exec(text) ?? [];
    const front = objects.some((o) => o.kind === 'Deployment' && o.metadata.name.endsWith('-webhook'))
      ? 'webhook'
      : 'main';
    expect(said).toBe(env(objects, front).N8N_TUNED_MAX_REQUESTS);
  });

  it('calculates correctly', () => {
    expect(formulas(text).length).toBeGreaterThan(0);
    for (const { formula, said, is } of formulas(text)) {
      const unit = 10 ** -(said.split('.')[1]?.length ?? 0);
      expect({ formula, said, is, wrong: Math.abs(is - Number(said)) >= unit }).toMatchObject({ wrong: false });
    }
  });

  it('names existing records', () => {
    for (const [, path] of text.matchAll(/measured: ([\w/.-]*\w)/g)) {
      expect({ path, there: existsSync(join(repository, path!, 'verdict.json')) }).toMatchObject({ there: true });
    }
  });

  it('claims at most the rate that its record sustained', () => {
    for (const [, load, rate, path] of takes.matchAll(/(webhook-[\w-]+): ([\d.]+)\/s \(measured: ([\w/.-]*\w)/g)) {
      const { loads } = JSON.parse(readFileSync(join(repository, path!, 'verdict.json'), 'utf8'));
      expect(loads.find((l: any) => l.load === load)?.capacity).toBe(Number(rate));
    }
  });

  it('states its CPU and memory requests correctly', () => {
    const sum = requests(objects);
    const said = `asks for ${Math.round(sum.cores * 1000)}m CPU and ${(sum.mebibytes / 1024).toFixed(1)} GiB`;
    expect(text.replace(/\s+/g, ' ')).toContain(said);
  });

  const worker = workload(objects, 'worker');
  if (worker) {
    it('has the number of slots used in its calculation', () => {
      const [, concurrency] = /--concurrency=(\d+)/.exec(container(objects, 'worker').args.join(' '))!;
      expect(takes).toContain(`${worker.spec.replicas} × ${concurrency} ÷ `);
    });
  }
});
