import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { PodSpec, Container } from 'kubernetes-types/core/v1.js';
import { parseAllDocuments, stringify } from 'yaml';
import { describeDeployment } from '../../capacity/src/chart/describe.js';
import type { KubernetesObject } from '../../capacity/src/chart/objects.js';
import { listLocalPods } from '../../capacity/src/chart/pods.js';
import { KnownError } from '../../capacity/src/core/errors.js';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { fuzzOptions } from '../support/fuzz.js';
import { mergeValues, arbitraryValues } from '../support/schema-values.js';
import { helm } from '../support/tools.js';

const BUDGET = fuzzOptions(60);
jest.setTimeout(BUDGET.seconds * 1000 + 300_000);

const schema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8')) as Parameters<
  typeof arbitraryValues
>[0];

// The chart renders the user's own objects unchanged.
delete schema.properties!.extraManifests;

/** Base values for each mode of n8n, over which generated values are merged. */
const BASES = [
  {},
  { executions: { mode: 'queue' }, database: { type: 'postgresql' } },
  { executions: { mode: 'queue' }, database: { type: 'postgresql' }, webhook: { replicas: 2 } },
  { image: { tag: '1.123.81' } },
  { image: { tag: '0.221.2' }, executions: { process: 'own' } },
  { loadTargets: { enabled: true }, metrics: { enabled: true } },
];

interface Rendered {
  failed: boolean;
  stdout: string;
  stderr: string;
}

const template = (values: unknown): Promise<Rendered> =>
  new Promise((resolve) => {
    const options = { maxBuffer: 64 * 2 ** 20, timeout: 60_000 };
    const child = execFile(helm, ['template', 'n8n-tuned', chartFolder, '-f', '-'], options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
    // Helm reads YAML 1.1, in which y, N and yes are booleans.
    child.stdin!.end(stringify(values, { version: '1.1' }));
  });

/**
 * The chart refuses values with a message and a code, and the schema with helm's message. Any other error is a broken
 * template.
 */
const REFUSED = /^n8n-tuned: .* \[[a-z0-9-]+\]$/m;
const BY_SCHEMA = /values don't meet the specifications of the schema/;
const BROKEN = /panic|runtime error|nil pointer|error calling|wrong type|can't evaluate|YAML parse error|goroutine/;

const workloads = (objects: KubernetesObject[]) =>
  objects.flatMap((object) => {
    const { spec } = object as { spec?: { template?: { spec?: PodSpec } } };
    return spec?.template?.spec?.containers ? [{ object, pod: spec.template.spec }] : [];
  });

/** A quantity of Kubernetes as a number. */
function parseQuantity(text: unknown): number {
  const [, number, unit = ''] = /^(-?[\d.]+(?:e\d+)?)(m|[KMGTPE]i?|k)?$/.exec(String(text)) ?? [];
  const powers: Record<string, number> = { m: 1e-3, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };
  const binary = 'KMGTPE'.indexOf(unit[0] ?? '-') + 1;
  return Number(number) * (unit.endsWith('i') ? 1024 ** binary : (powers[unit] ?? 1));
}

/** Contradictions in one container. */
function findContradictions({ name, resources = {}, env = [] }: Container): string[] {
  const { requests = {}, limits = {} } = resources;
  const above = Object.keys(requests)
    .filter((key) => key in limits && parseQuantity(requests[key]) > parseQuantity(limits[key]))
    .map((key) => `${name}: requests ${requests[key]} of ${key} above its limit of ${limits[key]}`);
  const text = env.find((variable) => variable.name === 'NODE_OPTIONS')?.value ?? '';
  const heap = Number(/--max[-_]old[-_]space[-_]size=(\d+)/.exec(text)?.[1] ?? 0) * 2 ** 20;
  const names = env.map((variable) => variable.name).filter((each, i, all) => all.indexOf(each) !== i);
  return [
    ...above,
    ...(heap > parseQuantity(limits.memory ?? '1E') ? [`${name}: a heap above its memory limit`] : []),
    ...names.map((twice) => `${name}: ${twice} is set twice`),
  ];
}

function findContradictionsIn(objects: KubernetesObject[]): string[] {
  const keys = objects.map(
    ({ kind, metadata }) => `${kind} ${(metadata as { namespace?: string }).namespace ?? ''} ${metadata.name}`,
  );
  const twice = keys.filter((key, i) => keys.indexOf(key) !== i).map((key) => `${key} is rendered twice`);
  const scalers = objects
    .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    .map((object) => (object as unknown as { spec: { minReplicas: number; maxReplicas: number } }).spec)
    .filter(({ minReplicas, maxReplicas }) => minReplicas > maxReplicas)
    .map(() => 'an autoscaler whose minimum is above its maximum');
  return [...twice, ...scalers, ...workloads(objects).flatMap(({ pod }) => pod.containers.flatMap(findContradictions))];
}

const counts = { refused: 0, bySchema: 0, rendered: 0, taken: 0 };

/** Problems of the chart or the tool with these values; empty if there are none. */
async function findProblems(values: unknown): Promise<string[]> {
  const { failed, stdout, stderr } = await template(values);
  if (failed) {
    const isOurs = REFUSED.test(stderr);
    if (isOurs) counts.refused += 1;
    else if (BY_SCHEMA.test(stderr)) counts.bySchema += 1;
    else return [`refused without words: ${stderr.slice(0, 600)}`];
    return isOurs && BROKEN.test(stderr.replaceAll(/^n8n-tuned: .*$/gm, '')) ? [`broken: ${stderr.slice(0, 600)}`] : [];
  }
  counts.rendered += 1;
  const documents = parseAllDocuments(stdout);
  const invalid = documents.flatMap(({ errors }) => errors.map(({ message }) => `no YAML: ${message}`));
  if (invalid.length > 0) return invalid;
  const objects = documents.map((document) => document.toJS() as KubernetesObject | null).filter((o) => o !== null);
  const without = objects
    .filter((o) => !o.kind || !o.metadata?.name)
    .map((o) => `no object: ${JSON.stringify(o).slice(0, 200)}`);
  if (without.length > 0) return without;
  try {
    const record = describeDeployment(listLocalPods(objects));
    counts.taken += 1;
    if (JSON.stringify(record).includes('null')) return [`the tool reads no number: ${JSON.stringify(record)}`];
  } catch (error) {
    if (!(error instanceof KnownError))
      return [`the tool broke: ${String(error instanceof Error ? error.stack : error)}`];
  }
  return findContradictionsIn(objects);
}

test('any values are rendered without a contradiction, or refused in words', async () => {
  const values = fc
    .tuple(fc.constantFrom(...BASES), arbitraryValues(schema))
    .map(([base, more]) => mergeValues(base, more));
  try {
    await fc.assert(
      fc.asyncProperty(values, async (each) => expect(await findProblems(each)).toEqual([])),
      BUDGET,
    );
  } finally {
    console.log(`values files: ${JSON.stringify(counts)}`);
  }
  expect(Math.min(counts.refused, counts.bySchema, counts.rendered)).toBeGreaterThan(0);
});
