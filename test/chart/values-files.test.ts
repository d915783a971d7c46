import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, lint, notes, render, type Values, valuesFiles } from './render.js';

describe.each(valuesFiles())('%s', (file) => {
  const values = (parse(readFileSync(join(chart, file), 'utf8')) ?? {}) as Values;

  it('passes helm lint --strict', () => expect(lint(file)).toMatchObject({ code: 0 }));

  it('renders objects with unique names', () => {
    const ids = render(values).map((o) => `${o.apiVersion} ${o.kind} ${o.metadata.name}`);
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('renders the same twice', () => expect(render(values, 'r', 'n', true)).toEqual(render(values, 'r', 'n', true)));

  it('says how to reach it', () => {
    expect(notes(values)).toContain('kubectl --namespace default port-forward service/n8n-tuned-main 5678:5678');
  });
});
