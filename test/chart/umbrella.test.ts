import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { helm } from '../support/tools.js';
import { chart, type Manifest } from './render.js';

/** A chart that has this one as a subchart, under another name and on a condition. */
const folder = mkdtempSync(join(tmpdir(), 'umbrella-'));
const dependency = { name: 'n8n-tuned', version: '>=0.1.0', alias: 'automation', condition: 'automation.enabled' };
beforeAll(() => {
  mkdirSync(join(folder, 'charts'));
  symlinkSync(chart, join(folder, 'charts/n8n-tuned'));
  const file = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [dependency] };
  writeFileSync(join(folder, 'Chart.yaml'), stringify(file));
});
afterAll(() => rmSync(folder, { recursive: true }));

function rendered(values: object): { objects: Manifest[]; error: string } {
  const input = stringify(values);
  const { stdout, stderr, status } = spawnSync(helm, ['template', 'shop', folder, '-f', '-'], {
    encoding: 'utf8',
    input,
  });
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  return { objects: objects.filter(Boolean), error: status === 0 ? '' : stderr };
}

const queue = { executions: { mode: 'queue' }, database: { type: 'postgresql' } };

it('renders under the name that it has there, with values of the parent', () => {
  const { objects } = rendered({ global: { team: 'shop' }, automation: { enabled: true, ...queue } });
  const names = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
  expect(names.sort()).toEqual(['shop-automation-main', 'shop-automation-webhook', 'shop-automation-worker']);
});

it('takes the registry and the pull secrets that all charts of the parent share', () => {
  const global = { imageRegistry: 'registry.example.com', imagePullSecrets: [{ name: 'pull' }] };
  const { objects } = rendered({ global, automation: { enabled: true, ...queue } });
  const pods = objects.filter(({ spec }) => spec?.template?.spec).map(({ spec }) => spec.template.spec);
  expect(pods.length).toBeGreaterThan(4);
  for (const { containers, imagePullSecrets } of pods) {
    expect(containers[0].image).toMatch(/^registry\.example\.com\//);
    expect(imagePullSecrets).toEqual(global.imagePullSecrets);
  }
});

it('renders nothing where the condition is false', () => {
  expect(rendered({ automation: { enabled: false } })).toEqual({ objects: [], error: '' });
});

it('refuses the same values as without the umbrella chart', () => {
  const { error } = rendered({ automation: { executions: { mode: 'queue' } } });
  expect(error).toContain('[sqlite-in-queue]');
});
