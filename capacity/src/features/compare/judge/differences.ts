import { formatNumber, formatSeconds, formatPercent } from '../../../core/formats.js';
import type { DeploymentRecord, RunRecord } from '../../../model/run.js';
import type { Arrivals } from '../../../model/plan.js';
import { valuesFlags } from '../../../chart/values-flags.js';
import { redacted } from '../../../plan/redact.js';

/** A difference in the setups of two runs. */
export interface Difference {
  kind: 'version' | 'machine' | 'deployment' | 'plan' | 'value';
  /** As `n8n`, `main: memory limit`, or a path into the chart's values. */
  what: string;
  /** In each run; undefined if the run does not set it, as a value left at the chart's default. */
  a?: string;
  b?: string;
}

/** A run, and the values given to the chart if they were recorded. */
export interface ComparedRun {
  run: RunRecord;
  values?: Record<string, unknown> | undefined;
}

type Facts = Map<string, string>;

/** Differences of two runs in versions, machine, deployment, plan and values. Values that may be secret are not shown. */
export function differences(a: ComparedRun, b: ComparedRun): Difference[] {
  return [
    ...between('version', versions(a.run), versions(b.run)),
    ...between('machine', machine(a.run), machine(b.run)),
    ...between('deployment', deployment(a.run.deployment), deployment(b.run.deployment)),
    ...between('plan', plan(a.run), plan(b.run)),
    ...valueDifferences(a, b),
  ];
}

function between(kind: Difference['kind'], a: Facts, b: Facts): Difference[] {
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((what) => a.get(what) !== b.get(what))
    .map((what) => {
      const [inA, inB] = [a.get(what), b.get(what)];
      return { kind, what, ...(inA !== undefined && { a: inA }), ...(inB !== undefined && { b: inB }) };
    });
}

const facts = (entries: [string, string | number | undefined][]): Facts =>
  new Map(entries.flatMap(([what, value]) => (value === undefined ? [] : [[what, String(value)] as const])));

const versions = ({ versions }: RunRecord): Facts => facts(Object.entries(versions));

/** Warns where the machines of two runs differ: so may what they sustain. */
export function machineWarnings(a: RunRecord, b: RunRecord): string[] {
  const [inA, inB] = [a, b].map(({ machine: { cpus, cpuModel } }) => cpuModel && `${cpus} × ${cpuModel}`);
  if (inA === undefined || inB === undefined)
    return inA === inB ? [] : [`the CPU of ${inA === undefined ? 'A' : 'B'} was not recorded; it may be another one`];
  return inA === inB ? [] : [`the CPUs differ (A: ${inA}; B: ${inB}): the results may differ for that alone`];
}

const machine = ({ machine: { cpus, cpuModel, memoryBytes, platform } }: RunRecord): Facts =>
  facts([
    ['CPU', cpuModel],
    ['cores', cpus],
    ['memory', `${formatNumber(memoryBytes / 2 ** 30)} GiB`],
    ['platform', platform],
  ]);

function deployment({ provisioner = 'process', limits, instances, ...record }: DeploymentRecord): Facts {
  const components = [...new Set(instances.map((i) => i.component))];
  return facts([
    ['provisioner', provisioner],
    ['limits', limits.enforced ? 'enforced' : 'not enforced'],
    ['mode', record.mode],
    ['execution process', record.process],
    ['database', record.database],
    ['concurrent executions', record.slots],
    ...Object.entries(record.replaced ?? {}),
    ...components.flatMap((component): [string, string | number | undefined][] => {
      const all = instances.filter((i) => i.component === component);
      const { limits: own, heapMiB, runnerHeapMiB } = all[0]!;
      return [
        [`${component}: replicas`, all.length],
        [`${component}: CPU limit`, own.cpuMillis && `${own.cpuMillis}m`],
        [`${component}: memory limit`, own.memoryBytes && `${Math.round(own.memoryBytes / 2 ** 20)} MiB`],
        [`${component}: heap of n8n`, heapMiB && `${heapMiB} MiB`],
        [`${component}: heap of the runner`, runnerHeapMiB && `${runnerHeapMiB} MiB`],
      ];
    }),
  ]);
}

function plan({ plan: { slo, stepSeconds, scriptEnv, ...plan } }: RunRecord): Facts {
  const latency = (p: 'p50' | 'p95' | 'p99') => slo[p] && formatSeconds(slo[p]);
  return facts([
    ['objective p50', latency('p50')],
    ['objective p95', latency('p95')],
    ['objective p99', latency('p99')],
    ['objective errors', formatPercent(slo.errors)],
    ['chart or manifests', plan.foreign && (plan.foreign.chart ?? plan.foreign.manifests)],
    ...Object.entries(plan.foreign?.overrides ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    ['step', `${stepSeconds} s`],
    ['warm-up', `${plan.warmupSeconds} s`],
    ['drain', `${plan.drainSeconds} s`],
    ['timeout', `${plan.timeoutSeconds} s`],
    ['arrivals', arrivalsText(plan.arrivals)],
    ['executions in the database before', plan.seedExecutions ?? 0],
    ...Object.entries(scriptEnv),
  ]);
}

/** How arrivals are spaced. Different seeds count as the same. */
const arrivalsText = (arrivals: Arrivals): string =>
  arrivals.kind === 'recorded' ? `${arrivals.file} × ${arrivals.times}` : arrivals.kind;

/** Differences of the values as helm merged them, or of the command line if a run did not record them. */
function valueDifferences(a: ComparedRun, b: ComparedRun): Difference[] {
  if (a.values && b.values) {
    const [inA, inB] = [leaves(a.values), leaves(b.values)];
    return between('value', inA, inB).map(({ what, ...rest }) => {
      const shown = (side: 'a' | 'b') => rest[side] !== undefined && { [side]: presentable(what, rest[side]) };
      return { kind: 'value', what, ...shown('a'), ...shown('b') };
    });
  }
  const given = ({ run: { plan } }: ComparedRun): Facts =>
    new Map(
      valuesFlags(plan.values).map(([flag], _, all) => [
        flag,
        all.flatMap(([f, v]) => (f === flag ? [v] : [])).join(', '),
      ]),
    );
  return between('value', given(a), given(b));
}

/** Every scalar value by its path. */
function leaves(value: unknown, path = ''): Facts {
  if (typeof value !== 'object' || value === null) return new Map(path === '' ? [] : [[path, String(value)]]);
  const inner = Array.isArray(value)
    ? value.map((item, i): [string, unknown] => [`${path}[${i}]`, item])
    : Object.entries(value).map(([key, item]): [string, unknown] => [path === '' ? key : `${path}.${key}`, item]);
  return new Map(inner.flatMap(([at, item]) => [...leaves(item, at)]));
}

function presentable(path: string, value: string): string {
  const assignment = `${path}=${value}`;
  return redacted(assignment) === assignment ? value : '<hidden>';
}
