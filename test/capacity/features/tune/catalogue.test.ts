import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartFolder } from '../../../../capacity/src/core/paths.js';
import { nestValues } from '../../../../capacity/src/plan/dimensions.js';
import { refuseUnknownKeys } from '../../../../capacity/src/plan/values.js';
import { readSettings, SETTINGS_FILE } from '../../../../capacity/src/features/tune/catalogue.js';

const settings = readSettings();

test('ids are unique', () => {
  expect(existsSync(SETTINGS_FILE)).toBe(true);
  expect(new Set(settings.map(({ id }) => id)).size).toBe(settings.length);
});

test('what gives something up is tried only where the user accepts that', () => {
  const costly = settings.filter(({ note = '' }) =>
    /\bdisables\b|costs (availability|headroom|disk)|\brisks\b|not moved/i.test(note),
  );
  expect(costly.length).toBeGreaterThan(4);
  expect(costly.filter(({ trades }) => trades === 'nothing' || trades === 'memory')).toEqual([]);
  const heap = settings.filter(({ value = '' }) => /heap\.(n8n|enabled|runnerShare)$/.test(value));
  expect(heap.map(({ trades }) => trades)).toEqual(heap.map(() => 'safety'));
});

test('what is tried on another chart costs what it costs on this one', () => {
  const pairs = settings.flatMap((s) => {
    const like = settings.find(({ id }) => s.other !== undefined && s.source === `as ${id}.`);
    return like ? [{ id: s.id, trades: s.trades, like: like.trades }] : [];
  });
  expect(pairs.length).toBeGreaterThan(4);
  const order = ['nothing', 'memory', 'features', 'observability', 'durability', 'safety'];
  // With several candidates, some may cost memory.
  const cheaper = pairs.filter((p) => order.indexOf(p.trades) < order.indexOf(p.like));
  expect(cheaper).toEqual([]);
});

test('every value is one of the chart', () => {
  for (const { id, value, with: others } of settings)
    for (const path of [...(value === undefined ? [] : [value]), ...Object.keys(others)])
      expect(() => refuseUnknownKeys(nestValues({ [path]: 1 }), id)).not.toThrow();
});

test('no variable is one that a value of the chart sets', () => {
  const file = join(chartFolder, 'files', 'environment.yaml');
  const known = parse(readFileSync(file, 'utf8')) as Record<string, { use?: string; fixed?: string }>;
  const taken = Object.keys(known).filter((name) => known[name]!.use !== undefined || known[name]!.fixed !== undefined);
  expect(taken.length).toBeGreaterThan(10);
  const tried = settings.filter(({ cannot }) => cannot === undefined).flatMap(({ env }) => env ?? []);
  expect(tried.filter((name) => taken.includes(name))).toEqual([]);
});
