import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { helm } from '../support/tools.js';

export const chart = fileURLToPath(new URL('../../charts/n8n-tuned', import.meta.url));
export const RELEASE = 'n8n-tuned';

/** A rendered Kubernetes object. */
export type Manifest = any;
export type Values = Record<string, unknown>;
export type Component = 'main' | 'worker' | 'webhook' | 'postgresql' | 'redis';

function run(command: string[], values: Values | undefined): { code: number | null; stdout: string; stderr: string } {
  const args = values === undefined ? command : [...command, '-f', '-'];
  const { status, stdout, stderr, error } = spawnSync(helm, args, {
    encoding: 'utf8',
    // Helm reads YAML 1.1, in which y, N and yes are no strings.
    input: values === undefined ? '' : stringify(values, { version: '1.1' }),
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return { code: status, stdout, stderr };
}

const rendered = new Map<string, string>();

/**
 * All objects, hooks included, that the chart makes of the values; throws what helm says when it refuses them.
 * The same values are rendered once, unless `again`.
 */
export function render(values: Values = {}, release = RELEASE, namespace = 'default', again = false): Manifest[] {
  const key = JSON.stringify([values, release, namespace]);
  let stdout = again ? undefined : rendered.get(key);
  if (stdout === undefined) {
    const result = run(['template', release, chart, '--namespace', namespace], values);
    if (result.code !== 0) throw new Error(result.stderr);
    stdout = result.stdout;
    rendered.set(key, stdout);
  }
  return parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
}

/** What the chart makes of the values for a Kubernetes of that version. */
export function renderFor(kubeVersion: string, values: Values = {}): Manifest[] {
  const { code, stdout, stderr } = run(['template', RELEASE, chart, '--kube-version', kubeVersion], values);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
}

/** The chart's own sentences when it refuses the values, helm's when it is their schema; fails where nothing is refused. */
export function refusals(values: Values): string[] {
  const { code, stderr } = run(['template', RELEASE, chart], values);
  if (code === 0) throw new Error(`not refused: ${JSON.stringify(values)}`);
  const own = stderr.split('\n').filter((line) => line.startsWith('n8n-tuned: '));
  return own.length > 0 ? own : [stderr];
}

/** What helm prints after an install. */
export function notes(values: Values = {}): string {
  const { code, stdout, stderr } = run(['install', RELEASE, chart, '--dry-run=client'], values);
  if (code !== 0) throw new Error(stderr);
  return stdout.slice(stdout.indexOf('NOTES:'));
}

/** `helm lint --strict` with a values file of the chart. */
export function lint(file: string): { code: number | null; output: string } {
  const { code, stdout, stderr } = run(['lint', '--strict', chart, '-f', join(chart, file)], undefined);
  return { code, output: stdout + stderr };
}

/** Names of the values files that the chart carries, relative to it. */
export const valuesFiles = (): string[] =>
  ['ci', 'profiles'].flatMap((folder) => readdirSync(join(chart, folder)).map((name) => join(folder, name)));

export const find = (objects: Manifest[], kind: string, name?: string): Manifest =>
  objects.find((object) => object.kind === kind && (name === undefined || object.metadata.name === name));

/** The workload (Deployment or StatefulSet) of a component; undefined where the release has none. */
export const workload = (objects: Manifest[], component: Component): Manifest =>
  objects.find(
    ({ kind, metadata }) =>
      ['Deployment', 'StatefulSet'].includes(kind) && metadata.labels['app.kubernetes.io/component'] === component,
  );

export const podSpec = (objects: Manifest[], component: Component): Manifest =>
  workload(objects, component).spec.template.spec;

export const container = (objects: Manifest[], component: Component): Manifest =>
  podSpec(objects, component).containers[0];

/** A container's environment by name: the plain value, or what it is taken from. */
export const env = (objects: Manifest[], component: Component): Record<string, any> =>
  Object.fromEntries(container(objects, component).env.map((e: any) => [e.name, e.value ?? e.valueFrom]));

/** Values of queue mode with everything embedded, and what is added to them. */
export const queue = (more: Values = {}): Values => ({
  executions: { mode: 'queue', ...(more.executions as Values) },
  database: { type: 'postgresql', ...(more.database as Values) },
  ...Object.fromEntries(Object.entries(more).filter(([key]) => !['executions', 'database'].includes(key))),
});

/** Values of own mode in an n8n that has it, and what is added to them. */
export const own = (children: number, limit: string, more: Values = {}): Values => ({
  image: { tag: '0.221.2' },
  executions: { process: 'own', own: { children } },
  main: { resources: { requests: { memory: '256Mi' }, limits: { memory: limit } } },
  ...more,
});
