import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse, parseDocument, visit } from 'yaml';
import { chartFolder, repository } from '../../../capacity/src/core/paths.js';
import { configurations } from '../../../capacity/src/plan/configurations.js';
import { recommend } from '../../../capacity/src/sweep/recommend.js';
import { helm } from '../../support/tools.js';
import { DIMENSIONS, goodStep, recordRun, recordSweep, regular, runRecord, type Shown } from '../support/index.js';

const EXAMPLE = join(repository, 'docs', 'example-run');

const folder = mkdtempSync(join(tmpdir(), 'recommend-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Fails where the chart refuses the values, or a number in them has no source. */
async function expectSound(values: string): Promise<void> {
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', '-'], { input: values });
  visit(parseDocument(values), {
    Scalar(key, node) {
      if (key !== 'key' && /^\d+(m|Mi|Gi)?$/.test(String(node.value)))
        expect(node.comment).toMatch(/^ (measured|computed|given): .*\.(ndjson|json|yaml)/);
    },
  });
}

describe('of a run', () => {
  test('what a search found is printed, and marked until a soak has proved it', async () => {
    const { verdict, values, test } = await recommend(EXAMPLE, {}, 'v.yaml');
    expect(verdict).toBe('INCONCLUSIVE');
    expect(test).toEqual([
      'n8n-capacity soak -f v.yaml --rate 13/s --duration 15m --workload webhook-ack --slo p95=800ms,p99=2000ms,errors=1%',
      'n8n-capacity soak -f v.yaml --rate 11/s --duration 15m --workload webhook-wait --slo p95=800ms,p99=2000ms,errors=1%',
    ]);
    expect(values).toMatch(/^# NOT RECOMMENDED YET by n8n-capacity: no soak has proved/);
    expect(values).toContain(`are in ${EXAMPLE}`);
    await expectSound(values!);
  });

  test.each([
    ['below what held', '5/s', 'INCONCLUSIVE', 'no soak has proved'],
    ['between what held and what broke', '9.5/s', 'INCONCLUSIVE', 'nothing can be said at 12.3/s'],
    ['above what broke', '20/s', 'FAIL', 'the SLO is not met at 26/s: webhook-ack sustains 13/s'],
  ])('%s', async (_, target, verdict, answer) => {
    const found = await recommend(EXAMPLE, { target }, 'v.yaml');
    expect(found.verdict).toBe(verdict);
    expect(found.answer).toContain(answer);
    expect(found.values !== undefined).toBe(answer.startsWith('no soak'));
  });

  test('a target that broke says what to change first, and recommends nothing', async () => {
    const slow = goodStep({ summary: { latency: { p50: 1, p95: 2, p99: 3, max: 4 } } });
    const path = await recordRun(join(folder, 'broken'), { kind: 'target', rate: 20, headroom: 1 }, [slow]);
    const { verdict, answer, values } = await recommend(path, {}, 'v.yaml');
    expect({ verdict, values }).toEqual({ verdict: 'FAIL', values: undefined });
    expect(answer).toMatch(/at 20\/s: webhook-ack does not sustain .*Nothing measured is at its limit/);
  });

  test('the values that were given stay, and are named as such', async () => {
    const target = { kind: 'target', rate: 20, headroom: 1 } as const;
    const given = { executions: { concurrencyLimit: 30 } };
    const path = await recordRun(join(folder, 'given'), target, [goodStep()], given);
    const { values } = await recommend(path, {}, 'v.yaml');
    expect(values).toContain('concurrencyLimit: 30 # given: values.given.yaml');
    await expectSound(values!);
    rmSync(join(path, 'values.given.yaml'));
    await expect(recommend(path, {}, 'v.yaml')).rejects.toThrow(/values\.given\.yaml: is missing/);
  });

  test.each([
    ['a price', EXAMPLE, { cpuPrice: '1' }, /holds one configuration, and prices choose among those of a sweep/],
    ['a headroom of nothing', EXAMPLE, { headroom: '2' }, /--headroom needs --target/],
    ['a bad target', EXAMPLE, { target: 'lots' }, /--target: "lots" is no arrival rate/],
    ['no record', folder, {}, /holds no run\.json/],
  ])('refuses %s', async (_, path, asked, message) => {
    await expect(recommend(path, asked, 'v.yaml')).rejects.toThrow(message);
  });

  test('clients are no rate, and an n8n that was there has no values', async () => {
    const closed = await recordRun(join(folder, 'closed'), { kind: 'closed', clients: 8 }, [goodStep()]);
    await expect(recommend(closed, {}, 'v.yaml')).rejects.toThrow(
      /is of a closed loop of clients, and values are recommended for a steady arrival rate/,
    );
    const existing = await recordRun(join(folder, 'existing'), { kind: 'rates', rates: [20] }, [goodStep()]);
    const run = runRecord({ deployment: regular({ provisioner: 'existing' }) });
    await writeFile(join(existing, 'run.json'), JSON.stringify(run));
    await expect(recommend(existing, {}, 'v.yaml')).rejects.toThrow(/an n8n that was there already/);
  });
});

describe('of a sweep', () => {
  const [small, roomy, fast] = configurations(DIMENSIONS).map((c) => c.id) as [string, string, string];
  const sweepIn = (name: string, runs: Shown[]) => recordSweep(join(folder, name), runs);

  test('the cheapest that a soak has proved, with what it costs', async () => {
    const path = await sweepIn('proved', [
      [small, 'measure', false],
      [roomy, 'measure', true],
      [roomy, 'soak', true],
    ]);
    const { verdict, answer, values, test } = await recommend(path, {}, 'v.yaml');
    expect({ verdict, test }).toEqual({ verdict: 'PASS', test: [] });
    expect(answer).toBe('cpu 1, memory 4Gi is the cheapest that sustains 20/s (1 cores, 4 GiB), and held it in a soak');
    expect(values).toContain('It costs 0.046 USD an hour, 0.64 USD a million executions at 20/s');
    expect(values).toMatch(
      /memory: 4Gi # measured: the cheapest that sustained 20\/s \(outcomes\.ndjson of the sweep, 2-/,
    );
    expect(parse(values!)).toMatchObject({ main: { resources: { limits: { cpu: '1', memory: '4Gi' } } } });
    await expectSound(values!);
  });

  test('another price chooses another one, which no soak has proved', async () => {
    const path = await sweepIn('prices', [
      [small, 'measure', false],
      [roomy, 'measure', true],
      [roomy, 'soak', true],
      [fast, 'measure', true],
    ]);
    const { verdict, values, test } = await recommend(path, { cpuPrice: '0.001', memoryPrice: '1' }, 'v.yaml');
    expect(verdict).toBe('INCONCLUSIVE');
    expect(test).toEqual([expect.stringContaining('soak -f v.yaml --rate 20/s --duration 15m --workload webhook-ack')]);
    expect(values).toMatch(/^# NOT RECOMMENDED YET by n8n-capacity: cpu 2, memory 2Gi is the cheapest/);
    await expectSound(values!);
  });

  test('a lower target is met by what held more, but what broke may do for it too', async () => {
    const path = await sweepIn('lower', [
      [small, 'measure', false],
      [roomy, 'measure', true],
      [roomy, 'soak', true],
    ]);
    const { verdict, answer } = await recommend(path, { target: '10/s' }, 'v.yaml');
    expect(verdict).toBe('INCONCLUSIVE');
    expect(answer).toMatch(/cpu 1, memory 4Gi is the cheapest that sustains 10\/s .* so far; 1 are not measured yet/);
  });

  test('a higher target: what broke breaks, the others were not tried', async () => {
    const path = await sweepIn('higher', [[small, 'measure', false]]);
    const { verdict, values, answer } = await recommend(path, { target: '20/s', headroom: '2' }, 'v.yaml');
    expect({ verdict, values }).toEqual({ verdict: 'INCONCLUSIVE', values: undefined });
    expect(answer).toContain('none is known to sustain 40/s yet: 3 not measured');
  });

  test('none meets it', async () => {
    const largest = configurations(DIMENSIONS).at(-1)!.id;
    const path = await sweepIn('none', [[largest, 'measure', false]]);
    const { verdict, values } = await recommend(path, {}, 'v.yaml');
    expect({ verdict, values }).toEqual({ verdict: 'FAIL', values: undefined });
  });

  test('a bad price is refused', async () => {
    const path = await sweepIn('price', [[small, 'measure', true]]);
    await expect(recommend(path, { cpuPrice: 'cheap' }, 'v.yaml')).rejects.toThrow(/--cpu-price: "cheap" is no price/);
  });
});
