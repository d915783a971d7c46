import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { listConfigurations } from '../../../../capacity/src/features/sweep/plan/configurations.js';
import { recommendFromSweep } from '../../../../capacity/src/features/sweep/recommend.js';
import { expectRefused, expectSound } from '../../recommend/expectations.js';
import { DIMENSIONS, recordSweep, type Shown } from '../../support/index.js';

const folder = mkdtempSync(join(tmpdir(), 'recommend-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('of a sweep', () => {
  const [small, roomy, fast] = listConfigurations(DIMENSIONS).map((c) => c.id) as [string, string, string];
  const sweepIn = (name: string, runs: Shown[]) => recordSweep(join(folder, name), runs);

  test('the cheapest that was held, with what it costs', async () => {
    const path = await sweepIn('proved', [
      [small, 'measure', false],
      [roomy, 'measure', true],
      [roomy, 'hold', true],
    ]);
    const { verdict, answer, values, confirm } = await recommendFromSweep(path, {});
    expect({ verdict, confirm }).toEqual({
      verdict: 'PASS',
      confirm: `n8n-capacity confirm ${path}/holds/${roomy}`,
    });
    for (const fact of ['cpu 1, memory 4Gi', '20/s', '1 cores, 4 GiB']) expect(answer).toContain(fact);
    expect(values).toMatch(/# .*0\.046 USD .*0\.64 USD .*20\/s/);
    expect(values).toMatch(/memory: 4Gi # measured: .*20\/s \(outcomes\.ndjson .*2-/);
    expect(parse(values!)).toMatchObject({ main: { resources: { limits: { cpu: '1', memory: '4Gi' } } } });
    await expectSound(values!);
  });

  test('another price chooses another one, which was not held', async () => {
    const path = await sweepIn('prices', [
      [small, 'measure', false],
      [roomy, 'measure', true],
      [roomy, 'hold', true],
      [fast, 'measure', true],
    ]);
    const { verdict, values, confirm } = await recommendFromSweep(path, { cpuPrice: '0.001', memoryPrice: '1' });
    expect(verdict).toBe('INCONCLUSIVE');
    expect(confirm).toBe(`n8n-capacity confirm ${path}/runs/${fast}`);
    expect(values).toMatch(/^# Values that held for 20 s, by n8n-capacity \(INCONCLUSIVE\): .*cpu 2, memory 2Gi/);
    await expectSound(values!);
  });

  test('a lower target is met by what held more, but what broke may do for it too', async () => {
    const path = await sweepIn('lower', [
      [small, 'measure', false],
      [roomy, 'measure', true],
      [roomy, 'hold', true],
    ]);
    const { verdict, answer } = await recommendFromSweep(path, { target: '10/s' });
    expect(verdict).toBe('INCONCLUSIVE');
    for (const fact of ['cpu 1, memory 4Gi', '10/s', '1 not measured']) expect(answer).toContain(fact);
  });

  test('a higher target: what broke breaks, the others were not tried', async () => {
    const path = await sweepIn('higher', [[small, 'measure', false]]);
    const { verdict, values, answer } = await recommendFromSweep(path, { target: '20/s', headroom: '2' });
    expect({ verdict, values }).toEqual({ verdict: 'INCONCLUSIVE', values: undefined });
    for (const fact of ['40/s', '3 not measured']) expect(answer).toContain(fact);
  });

  test('none meets it', async () => {
    const largest = listConfigurations(DIMENSIONS).at(-1)!.id;
    const path = await sweepIn('none', [[largest, 'measure', false]]);
    const { verdict, values } = await recommendFromSweep(path, {});
    expect({ verdict, values }).toEqual({ verdict: 'FAIL', values: undefined });
  });

  test('a bad price is refused', async () => {
    const path = await sweepIn('price', [[small, 'measure', true]]);
    await expectRefused(recommendFromSweep(path, { cpuPrice: 'cheap' }), '--cpu-price: "cheap"');
  });
});
