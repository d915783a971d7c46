import { format, mebibytes } from '../core/formats.js';
import { helmDocument } from '../core/yaml.js';
import { isDisturbed } from '../judge/tried.js';
import type { RatePlan, Values } from '../model/plan.js';
import { runsN8n, type Component } from '../model/events.js';
import type { DeploymentRecord } from '../model/run.js';
import type { StepRecord } from '../model/step.js';
import type { JudgedStep, LoadVerdict, RunVerdict } from '../model/verdict.js';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { lt } from 'semver';
import { isMap, isScalar, parse, visit, type Document } from 'yaml';
import { helmArguments } from '../chart/values-flags.js';
import { usageBetween, type Usage } from '../judge/usage.js';
import type { RecordedRun } from '../record/recorder.js';

/** The file in a run's folder with the values that it was given, as helm merged them. */
export const GIVEN = 'values.given.yaml';

/** The values that a run was given; undefined if its folder does not hold them. */
export async function readGivenValues(folder: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(join(folder, GIVEN), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : ((parse(text) ?? {}) as Record<string, unknown>);
}

/** A value to set, and its source. */
export interface Setting {
  path: string[];
  value: string | number | boolean;
  /** `measured: …` or `computed: …`, with the record. */
  source: string;
  /** Path of a map among the given values whose numbers the setting replaces. */
  replaces?: string[];
}

/** Requests are the highest use in a sustained step times this, rounded up. */
const REQUEST_HEADROOM = 1.15;
const CPU_STEP_MILLIS = 50;
const MEMORY_STEP_MIB = 64;

type Instance = DeploymentRecord['instances'][number];

/** The settings that a record supports, or why it supports none. */
export type Supported = { settings: Setting[]; refused?: never } | { settings?: never; refused: string };

/**
 * The settings that the records support: heaps and concurrency as they were while the rate held, and requests as used. Empty
 * if no step was sustained; refused if the memory that was used does not fit its limit with the headroom of a request.
 * @param given the values that the run was given
 */
export function recommendedSettings(
  { run, samples }: RecordedRun,
  verdict: RunVerdict,
  given: Record<string, unknown>,
): Supported {
  const best = verdict.loads.flatMap(heldSteps);
  if (best.length === 0) return { refused: 'no step by itself, and no rate by several steps, is shown to hold' };
  const settings: Setting[] = [];
  for (const component of new Set(run.deployment.instances.map((i) => i.component))) {
    const instances = run.deployment.instances.filter((i) => i.component === component);
    const requested = requests(component, instances, best, samples);
    if ('refused' in requested) return requested;
    settings.push(...heaps(component, instances[0]!, given), ...requested);
  }
  return { settings: [...settings, ...concurrency(run), ...recordedRate(run, verdict)] };
}

/** The steps of the rates that held: several steps may prove together what none of them does. */
const heldSteps = ({ steps, capacity = 0 }: LoadVerdict): StepRecord[] =>
  steps
    .filter((s) => s.judged.verdict === 'PASS' || (isUnproven(s) && (s.step.rate ?? Infinity) <= capacity))
    .map(({ step }) => step);

const isUnproven = (step: JudgedStep): boolean => step.judged.verdict === 'INCONCLUSIVE' && !isDisturbed(step);

/** The heaps of n8n and its runner; none where the user took them out of the chart's hands. */
function heaps(
  component: string,
  { name, limits, heapMiB, runnerHeapMiB }: Instance,
  { heap }: Record<string, unknown>,
): Setting[] {
  if (!runsN8n(component) || (heap as { enabled?: boolean } | undefined)?.enabled === false) return [];
  const source = `computed: the chart's heap for a limit of ${mebibytes(limits.memoryBytes ?? 0)} MiB (run.json, ${name}); held in every sustained step`;
  const heapOf = (process: string, value: number | undefined): Setting[] =>
    value === undefined ? [] : [{ path: [component, 'heap', process], value, source }];
  return [...heapOf('n8n', heapMiB), ...heapOf('runner', runnerHeapMiB)];
}

function requests(
  component: Component,
  instances: Instance[],
  steps: StepRecord[],
  samples: RecordedRun['samples'],
): Setting[] | { refused: string } {
  const { limits } = instances[0]!;
  const seen = steps.flatMap((step) => {
    const usage = usageBetween(samples, step.measuredFrom, step.measuredTo);
    return instances.map(({ name }) => ({ step, usage: usage.get(name) }));
  });
  const most = (of: (u: Usage) => number) =>
    seen.reduce<{ value: number; step?: StepRecord }>(
      (top, { step, usage }) => (usage && of(usage) > top.value ? { value: of(usage), step } : top),
      { value: 0 },
    );
  const cpu = most((u) => u.meanCores);
  const memory = most((u) => u.peakMemoryBytes);
  if (!cpu.step || !memory.step) return [];
  const cpuMillis = roundUp(cpu.value * 1000 * REQUEST_HEADROOM, CPU_STEP_MILLIS);
  // A process may use all of its CPU and still be fast enough; one that uses all of its memory is killed.
  const isAll = limits.cpuMillis !== undefined && cpuMillis > limits.cpuMillis;
  const memoryMiB = memoryRequest(component, memory.value, limits.memoryBytes);
  if (typeof memoryMiB === 'string') return { refused: `${memoryMiB} (${stepName(memory.step)})` };
  return [
    {
      path: [component, 'resources', 'requests', 'cpu'],
      value: `${isAll ? limits.cpuMillis : cpuMillis}m`,
      source: `measured: ${cpu.value.toFixed(2)} cores in ${stepName(cpu.step)}, ${isAll ? 'nearly all of its limit' : 'plus 15 %'}`,
    },
    ...(memoryMiB === undefined
      ? []
      : [
          {
            path: [component, 'resources', 'requests', 'memory'],
            value: `${memoryMiB}Mi`,
            source: `measured: peak ${mebibytes(memory.value)} MiB in ${stepName(memory.step)}, plus 15 %`,
          },
        ]),
  ];
}

/**
 * The memory to request, in MiB; a text if it does not fit the limit, and why. Undefined for a database whose limit is below
 * its resident memory, which counts the pages that its processes share several times.
 */
function memoryRequest(
  component: Component,
  usedBytes: number,
  limitBytes: number | undefined,
): number | string | undefined {
  const needed = (usedBytes / 2 ** 20) * REQUEST_HEADROOM;
  const limit = limitBytes === undefined ? Infinity : limitBytes / 2 ** 20;
  if (needed <= limit) return Math.min(limit, roundUp(needed, MEMORY_STEP_MIB));
  if (!runsN8n(component)) return undefined;
  const value = `${component}.resources.limits.memory`;
  return `${component} used ${mebibytes(usedBytes)} MiB, and with 15 % of headroom needs ${roundUp(needed, MEMORY_STEP_MIB)} MiB, more than its limit of ${Math.round(limit)} MiB; raise ${value} and run again`;
}

function concurrency({ deployment }: RecordedRun['run']): Setting[] {
  const workers = deployment.instances.filter((i) => i.component === 'worker').length;
  if (deployment.slots === undefined || workers === 0) return [];
  return [
    {
      path: ['worker', 'concurrency'],
      value: deployment.slots / workers,
      source: `measured: ${workers} × ${deployment.slots / workers} slots (run.json) in every sustained step`,
    },
  ];
}

/** Before this version webhook processors serve no metrics, so the chart refuses an alert on the arrival rate. */
const WEBHOOK_METRICS_SINCE = '2.27.0';

/** The rate for the chart's alert near the recorded capacity. The alert counts all executions, so the lowest of several loads is set. */
function recordedRate({ deployment, versions, plan }: RecordedRun['run'], { loads }: RunVerdict): Setting[] {
  const hasWebhooks = deployment.instances.some((i) => i.component === 'webhook');
  if (hasWebhooks && lt(versions.n8n, WEBHOOK_METRICS_SINCE)) return [];
  const [lowest] = loads.filter((l) => l.capacity !== undefined).sort((a, b) => a.capacity! - b.capacity!);
  if (!lowest) return [];
  const among = loads.length > 1 ? `, the lowest of ${loads.map((l) => l.load).join(', ')}` : '';
  const source = `measured: the highest rate that ${lowest.load} sustained (steps.ndjson)${among}`;
  const replaces = ['capacity', 'recordedRate'];
  return [
    { path: [...replaces, lowest.load], value: lowest.capacity!, source, replaces },
    ...alertAt(plan.rates),
  ];
}

/** The chart's own default of capacity.alertAtPercent. */
const ALERT_AT_PERCENT = 70;

/** Where the alert begins: not below the rate that was planned, of which what held is a multiple. */
function alertAt(rates: RatePlan): Setting[] {
  if (rates.kind !== 'target') return [];
  const percent = Math.ceil(100 / rates.headroom);
  if (percent <= ALERT_AT_PERCENT) return [];
  const source = `computed: 100 ÷ headroom ${rates.headroom} (run.json); ${ALERT_AT_PERCENT} would alert below the target`;
  return [{ path: ['capacity', 'alertAtPercent'], value: Math.min(95, percent), source }];
}

const stepName = (step: StepRecord) =>
  `steps.ndjson, step ${step.index} (${step.load} at ${step.rate === undefined ? `${step.clients} clients` : `${format(step.rate)}/s`})`;
const roundUp = (value: number, to: number) => Math.max(to, Math.ceil(value / to) * to);

/** The given values with the settings filled in; a comment at each number names its source. */
export function valuesDocument(given: Record<string, unknown>, settings: Setting[], heading: string): string {
  const document = helmDocument(given);
  if (heading) document.commentBefore = heading;
  for (const { path, value, source, replaces } of settings) {
    if (replaces) deleteNumbers(document, replaces);
    deleteEmpty(document, path);
    document.setIn(path, document.createNode(value));
    const node = document.getIn(path, true);
    if (isScalar(node)) node.comment = ` ${source}`;
  }
  visit(document, {
    Scalar(key, node) {
      if (key !== 'key' && NUMBER.test(String(node.value))) node.comment ??= ` given: ${GIVEN}`;
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Deletes the numbers of a map; what is no number is the user's own. */
function deleteNumbers(document: Document, path: string[]): void {
  const map = document.getIn(path);
  if (!isMap(map)) return;
  const numbers = map.items.filter(({ value }) => isScalar(value)).map(({ key }) => key);
  for (const key of numbers) map.delete(key);
}

/** Deletes a part of a path that is a key without a value, which nothing can be set in. */
function deleteEmpty(document: Document, path: string[]): void {
  const empty = path.map((_, i) => path.slice(0, i + 1)).find((part) => document.hasIn(part) && document.getIn(part) === null);
  if (empty) document.deleteIn(empty);
}

/** A number or a Kubernetes quantity. */
const NUMBER = /^\d+(\.\d+)?(m|[KMGT]i?)?$/;

/** The values of a sweep's configuration as settings, one for each path. */
export function configurationSettings(
  values: Record<string, unknown>,
  source: string,
  above: string[] = [],
): Setting[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = [...above, key];
    if (typeof value === 'object' && value !== null)
      return configurationSettings(value as Record<string, unknown>, source, path);
    return [{ path, value: value as Setting['value'], source }];
  });
}

/** The settings alone, to copy, without the user's own values: reports are shared. */
export function settingsFragment(settings: Setting[]): string {
  return valuesDocument({}, settings, '').trimStart();
}

/** The user's values as helm merges them: a chart with one template prints them, so helm's own rules for assignments apply. */
export async function mergedValues(helm: string, values: Values): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'n8n-tuned-values-'));
  try {
    await mkdir(join(folder, 'templates'));
    await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: values\nversion: 0.0.0\n');
    await writeFile(join(folder, 'templates', 'values.yaml'), '{{ toYaml .Values }}\n');
    const args = ['template', 'values', folder, ...helmArguments(values)];
    const { stdout } = await execa(helm, args, { stdin: 'ignore' });
    return (parse(stdout) as Record<string, unknown> | null) ?? {};
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
