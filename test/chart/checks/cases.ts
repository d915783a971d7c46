import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart, refusals, type Values } from '../render.js';

/**
 * Values that a check refuses: the refusal's code, the value that it names, the values, and facts that its text must contain
 * (a computed number, the value to set).
 */
export type Case = [code: string, value: string, values: Values, ...facts: string[]];

/**
 * Tests a file of templates/checks/: each case gets this refusal and no other, and every refusal of the file, or of a table that
 * it reads, has a case, or its code is in `elsewhere`. All cases are rendered at the same time.
 */
export async function tests(file: string, cases: Case[], elsewhere: string[] = []): Promise<void> {
  const results = await Promise.all(cases.map(([, , values]) => refusals(values)));

  const table = cases.map((one, index) => [...one.slice(0, 2), index] as [string, string, number]);
  // Jest takes no empty table: what only a cluster shows has no case here.
  if (table.length > 0)
    it.each(table)('%s: %s', (code, value, index) => {
      const [, , , ...facts] = cases[index]!;
      expect(results[index]).toEqual([expect.objectContaining({ code, value })]);
      for (const fact of facts) expect(results[index]![0]!.text).toContain(fact);
    });

  it('has a case for every refusal', () => {
    const template = readFileSync(join(chart, 'templates/checks', file), 'utf8');
    const tables = [...template.matchAll(/\.Files\.Get "(files\/[a-z-]+\.yaml)"/g)].map(([, path]) => path!);
    const texts = [template, ...tables.map((path) => readFileSync(join(chart, path), 'utf8'))].join('\n');
    const codes = [...texts.matchAll(/"code" "([a-z0-9-]+)"|^ *- code: ([a-z0-9-]+)$/gm)].map(([, a, b]) => a ?? b);
    expect(codes.length).toBeGreaterThan(0);
    expect(new Set([...cases.map(([code]) => code), ...elsewhere])).toEqual(new Set(codes));
  });
}
