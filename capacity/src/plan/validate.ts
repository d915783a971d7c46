import { highestRate } from './kinds.js';
import type { ValidateOptions } from './options.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import { format } from '../core/formats.js';
import { UsageError } from '../core/errors.js';
import { readMix } from './mix.js';
import { CALL_OPTIONS, customLoad, WORKFLOW_OPTIONS } from './custom-workflow/load.js';
import { servedLoad } from './custom-workflow/served-webhook.js';
import type { LoadPlan, MixPart, Plan, RatePlan, Slo } from '../model/plan.js';
import { arrivalRate, duration, wholeNumber } from './quantities.js';
import { queryEnvironment } from './query.js';
import { claimSeconds, flag, LONGEST_EXTENSION, ratePlan, samplesFor, searchWith, stepSecondsFor } from './rates.js';
import { parseSlo } from './slo.js';
import { readValuesFile, refuseUnknownAssignment, refuseUnknownKeys } from './values.js';
import { catalogue, findWorkload, seconds, type Workload } from './workloads.js';

/** Workloads of a validation that names none. */
const DEFAULT_WORKLOADS = ['webhook-ack', 'webhook-wait'];

/** A plan from the flags; every value is checked before anything starts. Throws UsageError. */
export function planFromOptions(options: ValidateOptions): Plan {
  const { values = [], set = [] } = options;
  for (const file of values) refuseUnknownKeys(readValuesFile(file), `-f ${file}`);
  for (const assignment of set) refuseUnknownAssignment(assignment);
  const { loads, scriptEnv } = loadsOf(options);
  const slo = parseSlo(options.slo);
  const rates = ratePlan(options);
  const guard = options.maxRate === undefined ? undefined : guardOf(options.maxRate, rates);
  return {
    values: { files: values, set },
    loads,
    slo,
    scriptEnv: guard ? { ...scriptEnv, ABORT_ERRORS: String(abortErrors(slo)) } : scriptEnv,
    ...(guard && { guard }),
    ...timing(options, rates, slo, loads),
    ...(options.port !== undefined && { port: wholeNumber(options.port, '--port', 1, 65535) }),
  };
}

/** Share of failed requests at which k6 ends a step: clearly above the objective, which chance alone does not reach. */
const abortErrors = ({ errors }: Slo): number => Math.min(1, Math.max(0.1, 3 * errors));

/** Throws UsageError when the plan asks for more than it allows. */
function guardOf(text: string, rates: RatePlan): NonNullable<Plan['guard']> {
  const maxRate = arrivalRate(text, '--max-rate');
  if (rates.kind === 'closed')
    throw new UsageError('--clients and --max-rate exclude each other: clients ask as fast as they are answered.');
  const asked = highestRate(rates) ?? 0;
  if (asked > maxRate)
    throw new UsageError(
      `--max-rate: ${format(maxRate)}/s is less than the ${format(asked)}/s that are asked for${rates.kind === 'target' ? ' (target × headroom)' : ''}.`,
    );
  return { maxRate };
}

/** What is driven, one after another, and what the k6 scripts must know of it. */
function loadsOf(options: ValidateOptions): Pick<Plan, 'loads' | 'scriptEnv'> {
  refuseMixedSources(options);
  const { workflow, webhook, query = [] } = options;
  if (workflow !== undefined) {
    const { load, scriptEnv } = customLoad({ ...options, workflow });
    return { loads: [load], scriptEnv };
  }
  if (webhook !== undefined) {
    const { load, scriptEnv } = servedLoad({ ...options, webhook });
    return { loads: [load], scriptEnv };
  }
  const known = catalogue();
  const groups = groupsOf(options, known);
  const used = [...new Set(groups.flat().map((part) => part.workload))].map((name) => findWorkload(name, known));
  const scriptEnv = queryEnvironment(query, used);
  return { loads: groups.map((parts) => loadPlan(parts, known, scriptEnv)), scriptEnv };
}

/** A workflow or a webhook of one's own and workloads of the catalogue exclude each other, and so do their flags. */
function refuseMixedSources(options: ValidateOptions): void {
  const isGiven = (key: keyof ValidateOptions) => {
    const value = options[key];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  };
  const catalogued = (['workload', 'mix', 'query'] as const).find(isGiven);
  const own = (['workflow', 'webhook'] as const).find(isGiven);
  if (own && catalogued)
    throw new UsageError(
      `${flag(own)} and ${flag(catalogued)} exclude each other: a workflow of your own is driven alone.`,
    );
  const ofFile = WORKFLOW_OPTIONS.find(isGiven);
  if (own !== 'workflow' && ofFile)
    throw new UsageError(`${flag(ofFile)} needs --workflow: it is about a workflow of your own.`);
  const ofCall = CALL_OPTIONS.find(isGiven);
  if (!own && ofCall)
    throw new UsageError(`${flag(ofCall)} needs --workflow, or --webhook: it is about a workflow of your own.`);
}

/** What is driven together: each workload alone, or all of a mix at once. */
function groupsOf(options: ValidateOptions, known: Map<string, Workload>): MixPart[][] {
  const { workload = [], mix, clients } = options;
  const [twice] = workload.filter((name, i) => workload.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`--workload ${twice}: given twice; give each workload once.`);
  if (mix === undefined)
    return (workload.length > 0 ? workload : DEFAULT_WORKLOADS).map((name) => [{ workload: name, weight: 1 }]);
  const excluded = workload.length > 0 ? '--workload' : clients !== undefined ? '--clients' : undefined;
  if (excluded)
    throw new UsageError(`--mix and ${excluded} exclude each other: a mix is workloads as shares of an arrival rate.`);
  return [readMix(mix, known)];
}

/** The times of a step, and the rates as far as a step's length decides which can be judged at all. */
function timing(
  options: ValidateOptions,
  rates: RatePlan,
  slo: Slo,
  loads: LoadPlan[],
): Pick<Plan, 'rates' | 'stepSeconds' | 'warmupSeconds' | 'drainSeconds' | 'timeoutSeconds'> {
  const times = {
    stepSeconds: options.stepDuration === undefined ? stepSecondsFor(rates, slo) : stepSeconds(options.stepDuration),
    warmupSeconds: within(duration(options.warmup, '--warmup'), 1, 600, '--warmup', options.warmup),
    drainSeconds: within(duration(options.drain, '--drain'), 1, 3600, '--drain', options.drain),
    timeoutSeconds: within(duration(options.timeout, '--timeout'), 1, 600, '--timeout', options.timeout),
  };
  const service = Math.max(...loads.flatMap((l) => Object.values(l.serviceSeconds)));
  if (times.timeoutSeconds <= service) {
    throw new UsageError(
      `--timeout: ${options.timeout} is not allowed; the workload itself takes ${service}s, so write more than that.`,
    );
  }
  const least = MIN_SAMPLES / times.stepSeconds;
  if (rates.kind === 'rates' && Math.min(...rates.rates) < least) {
    const low = Math.min(...rates.rates);
    throw new UsageError(
      `--rates: ${low}/s gives ${Math.floor(low * times.stepSeconds)} requests in ${times.stepSeconds}s, and ${MIN_SAMPLES} are needed; ` +
        `lengthen the step with --step-duration ${Math.ceil(MIN_SAMPLES / low)}s.`,
    );
  }
  if (rates.kind === 'search') {
    const samples = options.stepDuration === undefined ? samplesFor(rates.precision, slo) : undefined;
    return { ...times, rates: searchWith(rates, times.stepSeconds, samples) };
  }
  if (rates.kind !== 'target') return { ...times, rates };
  if (rates.rate * rates.headroom * LONGEST_EXTENSION < MIN_SAMPLES) {
    throw new UsageError(
      `the target of ${format(rates.rate)}/s is too low to measure: in ${LONGEST_EXTENSION}s it is under ${MIN_SAMPLES} requests.`,
    );
  }
  return { ...times, rates, stepSeconds: Math.max(times.stepSeconds, claimSeconds(rates, slo)) };
}

const stepSeconds = (given: string) => within(duration(given, '--step-duration'), 5, 3600, '--step-duration', given);

function within(seconds: number, least: number, most: number, name: string, given: string): number {
  if (seconds >= least && seconds <= most) return seconds;
  throw new UsageError(`${name}: ${given} is not allowed; write ${least}s to ${most}s.`);
}

function loadPlan(parts: MixPart[], known: Map<string, Workload>, env: Record<string, string>): LoadPlan {
  const times = (of: (w: Workload) => Workload['serviceTimeSeconds']) =>
    Object.fromEntries(
      parts.map(({ workload }) => [workload, seconds(of(known.get(workload)!), known.get(workload)!, env)]),
    );
  return {
    name: parts.length === 1 ? parts[0]!.workload : 'mix',
    parts,
    serviceSeconds: times((w) => w.serviceTimeSeconds),
    executionSeconds: times((w) => w.executionSeconds),
  };
}
