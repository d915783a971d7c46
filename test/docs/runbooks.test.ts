import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart, find, queue, render } from '../chart/render.js';

/** The runbooks of the chart's alerts. */

const folder = join(import.meta.dirname, '../../docs/operate');
const PLACE = '/blob/main/docs/operate/';

interface Rule {
  alert?: string;
  annotations: { runbook_url: string };
}

const metrics = {
  enabled: true,
  serviceMonitor: { enabled: true },
  rules: { enabled: true, kubeStateMetrics: true },
};
const rescue = { enabled: true, apiKey: { existingSecret: 'n8n-api-key' } };
const everything = queue({ metrics, rescue, capacity: { recordedRate: { all: 20 } } });
const rules = find(render(everything), 'PrometheusRule').spec.groups[0].rules as Rule[];
const pageOf = new Map(
  rules.flatMap(({ alert, annotations }) => (alert ? [[alert, annotations.runbook_url.split(PLACE)[1]!]] : [])),
);
const pages = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('each alert has a runbook, and each runbook has an alert', () => {
  expect([...pageOf.values()].sort()).toEqual(pages.sort());
});

test.each([...pageOf])('the runbook of %s has all sections', (alert, page) => {
  const text = read(page);
  expect(text).toMatch(new RegExp(`^# ${alert}\n`));
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
    'What it means',
    'Where to look',
    'What to do',
    'It is over when',
  ]);
});

test('the list of the alerts is complete', () => {
  const listed = [...read('README.md').matchAll(/^\| \[(\w+)\]\(([\w-]+\.md)\)/gm)].map(([, alert, page]) => [
    alert,
    page,
  ]);
  expect(listed.sort()).toEqual([...pageOf].sort());
});

test.each(readdirSync(folder))('%s names only metrics that the rules or the dashboard read', (page) => {
  const known = JSON.stringify(rules) + readFileSync(join(chart, 'files/dashboards/n8n-tuned.json'), 'utf8');
  const named = [...read(page).matchAll(/\bn8n_(\w+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
