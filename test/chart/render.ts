import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { HELM_ENV } from '../../capacity/src/chart/render.js';
import { helm } from '../support/tools.js';
import { DEPLOYED_N8N } from '../support/versions.js';

/** The n8n that the chart deploys unless the values say otherwise. */
export const N8N = DEPLOYED_N8N;

export const chart = fileURLToPath(new URL('../../charts/n8n-tuned', import.meta.url));
export const RELEASE = 'n8n-tuned';

/** A rendered Kubernetes object. */
export type Manifest = any;
export type Values = Record<string, unknown>;
export type Component = 'main' | 'worker' | 'webhook' | 'postgresql' | 'redis';

const ENV = { ...process.env, ...HELM_ENV };
const MAX_BUFFER = 64 * 1024 * 1024;
// Helm reads YAML 1.1, in which y, N and yes are booleans.
const asInput = (values: Values) => stringify(values, { version: '1.1' });

/** Standard output of helm with the values; throws its standard error if it fails. */
export function helmOutput(command: string[], values: Values): string {
  const input = asInput(values);
  const { status, stdout, stderr, error } = spawnSync(helm, [...command, '-f', '-'], {
    encoding: 'utf8',
    env: ENV,
    input,
    maxBuffer: MAX_BUFFER,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const rendered = new Map<string, string>();

/** The YAML that the chart renders from the values; throws helm's error if the chart refuses them. Each is rendered once. */
export function text(values: Values = {}, release = RELEASE, ...options: string[]): string {
  const key = JSON.stringify([values, release, options]);
  let yaml = rendered.get(key);
  if (yaml === undefined) {
    yaml = helmOutput(['template', release, chart, ...options], values);
    rendered.set(key, yaml);
  }
  return yaml;
}

const parsed = new Map<string, Manifest>();

/**
 * The objects of YAML documents. Each document is parsed once: most releases share the largest, and to parse a release takes
 * as long as to render it.
 */
export function objectsOf(yaml: string): Manifest[] {
  const documents = yaml.split(/^---\n/m);
  for (const document of documents) if (!parsed.has(document)) parsed.set(document, parse(document));
  return documents.map((document) => structuredClone(parsed.get(document))).filter((object) => object !== null);
}

/** All objects, hooks included, that the chart renders from the values; throws helm's error if the chart refuses them. */
export const render = (values: Values = {}, release = RELEASE, namespace = 'default'): Manifest[] =>
  objectsOf(text(values, release, '--namespace', namespace));

/** The objects for a given version of Kubernetes. */
export const renderFor = (kubeVersion: string, values: Values = {}): Manifest[] =>
  objectsOf(text(values, RELEASE, '--kube-version', kubeVersion));

/** A refusal of the chart: its stable code, the value that it names (`path` or `path=content`), and the whole line. */
export interface Refusal {
  code: string;
  value: string;
  text: string;
}

/** Runs helm with a command and values without blocking, so that several runs share the cores. */
const execute = (command: string[], values: Values): Promise<{ failed: boolean; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      helm,
      [...command, '-f', '-'],
      { env: ENV, maxBuffer: MAX_BUFFER },
      (error, stdout, stderr) => resolve({ failed: error !== null, stdout, stderr }),
    );
    child.stdin!.end(asInput(values));
  });

/** Helm's error for values that the chart, or their schema, refuses. Fails if the chart renders them. */
export async function failure(values: Values, folder = chart, ...options: string[]): Promise<string> {
  const { failed, stderr } = await execute(['template', RELEASE, folder, ...options], values);
  if (!failed) throw new Error(`not refused: ${JSON.stringify(values)}`);
  return stderr;
}

/** The refusals of the chart; none if the values' schema refuses them. Fails if the chart renders the values. */
export async function refusals(values: Values, folder = chart, ...options: string[]): Promise<Refusal[]> {
  const lines = (await failure(values, folder, ...options)).matchAll(/^n8n-tuned: (.*?): .* \[([a-z0-9-]+)\]$/gm);
  return [...lines].map(([line, value, code]) => ({ code: code!, value: value!, text: line }));
}

/** What helm prints after an install, and the objects that it would create. */
export async function install(values: Values = {}): Promise<{ notes: string; objects: Manifest[] }> {
  const { failed, stdout, stderr } = await execute(['install', RELEASE, chart, '--dry-run=client'], values);
  if (failed) throw new Error(stderr);
  const [hooks, manifest, notes] = ['HOOKS', 'MANIFEST', 'NOTES'].map((heading) => stdout.indexOf(`\n${heading}:\n`));
  const part = (from: number, to: number) => objectsOf(stdout.slice(stdout.indexOf('---', from), to));
  return { notes: stdout.slice(notes), objects: [...part(hooks!, manifest!), ...part(manifest!, notes!)] };
}

export const notes = async (values: Values = {}): Promise<string> => (await install(values)).notes;

/** The warnings and errors of `helm lint --strict`; "" if it passes. */
export async function lint(values: Values): Promise<string> {
  const { failed, stdout, stderr } = await execute(['lint', '--strict', chart], values);
  return failed ? stdout + stderr : '';
}

/** Paths of the values files in the chart, relative to it. */
export const valuesFiles = (): string[] =>
  ['ci', 'profiles'].flatMap((folder) => readdirSync(join(chart, folder)).map((name) => join(folder, name)));

/** The content of a values file in the chart. */
export const valuesOf = (file: string): Values => (parse(readFileSync(join(chart, file), 'utf8')) ?? {}) as Values;

export const find = (objects: Manifest[], kind: string, name?: string): Manifest =>
  objects.find((object) => object.kind === kind && (name === undefined || object.metadata.name === name));

/** The workload (Deployment or StatefulSet) of a component; undefined if the release has none. */
export const workload = (objects: Manifest[], component: Component): Manifest =>
  objects.find(
    ({ kind, metadata }) =>
      ['Deployment', 'StatefulSet'].includes(kind) && metadata.labels['app.kubernetes.io/component'] === component,
  );

export const podSpec = (objects: Manifest[], component: Component): Manifest =>
  workload(objects, component).spec.template.spec;

export const container = (objects: Manifest[], component: Component): Manifest =>
  podSpec(objects, component).containers[0];

/** A container's environment by name: the plain value, or its source. */
export const env = (objects: Manifest[], component: Component): Record<string, any> =>
  Object.fromEntries(container(objects, component).env.map((e: any) => [e.name, e.value ?? e.valueFrom]));

/** NODE_OPTIONS of n8n, without the files that Node loads first (isolates.test.ts). */
export const heapOptions = (objects: Manifest[], component: Component): string | undefined =>
  (env(objects, component).NODE_OPTIONS as string | undefined)?.replaceAll(/ --require=\S+/g, '');

/** Values of queue mode with everything embedded, and more values. */
export const queue = (more: Values = {}): Values => ({
  executions: { mode: 'queue', ...(more.executions as Values) },
  database: { type: 'postgresql', ...(more.database as Values) },
  ...Object.fromEntries(Object.entries(more).filter(([key]) => !['executions', 'database'].includes(key))),
});

/** Values of own mode in an n8n version that has it, and more values. */
export const own = (children: number, limit: string, more: Values = {}): Values => ({
  image: { tag: '0.221.2' },
  executions: { process: 'own', own: { children } },
  main: { resources: { requests: { memory: '256Mi' }, limits: { memory: limit } } },
  ...more,
});
