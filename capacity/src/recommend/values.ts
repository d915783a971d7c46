import { promisedTarget } from '../plan/kinds.js';
import { sum } from 'simple-statistics';
import { formatNumber, toMebibytes } from '../core/formats.js';
import { toHelmDocument } from '../core/yaml.js';
import { isDisturbed } from '../judge/tried.js';
import type { LoadPlan, MixPart, RatePlan } from '../model/plan.js';
import { runsN8n } from '../model/events.js';
import type { DeploymentRecord } from '../model/run.js';
import type { StepRecord } from '../model/step.js';
import type { JudgedStep, LoadVerdict, RunVerdict } from '../model/verdict.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lt } from 'semver';
import { isMap, isScalar, parse, visit, type Document } from 'yaml';
import { withDefaults } from '../plan/values.js';
import { catalogue } from '../plan/workloads.js';
import type { RecordedRun } from '../record/recorder.js';
import { requests } from './requests.js';
import type { Setting } from './setting.js';

/** The file in a run's folder with the values that it was given, as helm merged them. */
export const GIVEN = 'values.given.yaml';

/** The values that a run was given; undefined if its folder does not hold them. */
export async function readGivenValues(folder: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(join(folder, GIVEN), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : ((parse(text) ?? {}) as Record<string, unknown>);
}

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
  return { settings: [...settings, ...concurrency(run), ...recordedRate(run, verdict, given)] };
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
  const source = `computed: the chart's heap for a limit of ${toMebibytes(limits.memoryBytes ?? 0)} MiB (run.json, ${name}); held in every sustained step`;
  const heapOf = (process: string, value: number | undefined): Setting[] =>
    value === undefined ? [] : [{ path: [component, 'heap', process], value, source }];
  return [...heapOf('n8n', heapMiB), ...heapOf('runner', runnerHeapMiB)];
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

/**
 * The rate for the chart's alert near the recorded capacity. The alert counts all executions, so the lowest of several loads is set,
 * and requests are not all that it counts where they start sub-workflows.
 */
function recordedRate(
  { deployment, versions, plan }: RecordedRun['run'],
  { loads }: RunVerdict,
  given: Record<string, unknown>,
): Setting[] {
  const hasWebhooks = deployment.instances.some((i) => i.component === 'webhook');
  if (hasWebhooks && lt(versions.n8n, WEBHOOK_METRICS_SINCE)) return [];
  const [lowest] = loads
    .flatMap(({ load, capacity }) => {
      const each = executionsEach(plan.loads.find(({ name }) => name === load));
      return capacity === undefined ? [] : [{ load, capacity, each, counted: capacity * each }];
    })
    .sort((a, b) => a.counted - b.counted);
  if (!lowest) return [];
  const { load, capacity, each, counted } = lowest;
  const times = each === 1 ? '' : ` × ${formatNumber(each)} executions of each request`;
  const among = loads.length > 1 ? `, the lowest of ${loads.map((l) => l.load).join(', ')}` : '';
  const source = `measured: the highest rate that ${load} sustained (steps.ndjson)${times}${among}`;
  const replaces = ['capacity', 'recordedRate'];
  const path = [...replaces, load];
  const custom = plan.loads.find(({ name }) => name === load)?.custom;
  // How many sub-workflows each of its executions starts is not recorded.
  const rate: Setting[] = custom?.subWorkflows.length
    ? [
        { path: [...path, 'rate'], value: capacity, source: `${source}, without its sub-workflows`, replaces },
        { path: [...path, 'workflowIds'], value: [custom.id], source },
      ]
    : [{ path, value: Number(counted.toPrecision(6)), source, replaces }];
  return [...rate, ...alertAt(plan.rates, given)];
}

/** Executions that a request to a load target starts: its own, and each sub-workflow once. For any other workflow only its own
 * execution is known. */
function executionsEach(load: LoadPlan | undefined): number {
  if (!load || load.custom) return 1;
  const { parts } = load;
  const known = catalogue();
  const of = ({ workload }: MixPart) => 1 + (known.get(workload)?.subWorkflows?.length ?? 0);
  return sum(parts.map((part) => part.weight * of(part))) / sum(parts.map((part) => part.weight));
}

/** Nearer to what held an alert comes too late. */
const LATEST_ALERT_PERCENT = 95;

/** Where the alert begins: not below the rate that was planned, of which what held is a multiple. What the user set stays. */
function alertAt(rates: RatePlan, given: Record<string, unknown>): Setting[] {
  const own = given.capacity as { alertAtPercent?: number } | undefined;
  const promised = promisedTarget(rates);
  if (!promised || own?.alertAtPercent !== undefined) return [];
  const { capacity } = withDefaults({}) as { capacity: { alertAtPercent: number } };
  const percent = Math.ceil(100 / promised.headroom);
  if (percent <= capacity.alertAtPercent) return [];
  const source = `computed: 100 ÷ headroom ${promised.headroom} (run.json); ${capacity.alertAtPercent} would alert below the target`;
  return [{ path: ['capacity', 'alertAtPercent'], value: Math.min(LATEST_ALERT_PERCENT, percent), source }];
}

/** The given values with the settings filled in; a comment at each number names its source. */
export function valuesDocument(given: Record<string, unknown>, settings: Setting[], heading: string): string {
  const document = toHelmDocument(given);
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
  const empty = path
    .map((_, i) => path.slice(0, i + 1))
    .find((part) => document.hasIn(part) && document.getIn(part) === null);
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
