import { format } from '../judge/run.js';
import { MIN_SAMPLES } from '../judge/step.js';
import { samplesToClaim } from '../judge/statistics.js';
import { InputError } from '../errors.js';
import { readMix } from './mix.js';
import type { LoadPlan, MixPart, Plan, RatePlan } from './plan.js';
import { duration, wholeNumber } from './quantities.js';
import { queryEnvironment } from './query.js';
import { ratePlan } from './rates.js';
import { parseSlo, type Slo } from './slo.js';
import { readValuesFile, refuseUnknownAssignment, refuseUnknownKeys } from './values.js';
import { catalogue, findWorkload, seconds, type Workload } from './workloads.js';

/** The flags of `n8n-capacity validate`, as commander hands them over. */
export interface ValidateOptions {
  values?: string[];
  set?: string[];
  workload?: string[];
  mix?: string;
  target?: string;
  perDay?: string;
  peak?: string;
  headroom?: string;
  rates?: string;
  clients?: string;
  slo?: string;
  stepDuration: string;
  warmup: string;
  drain: string;
  timeout: string;
  query?: string[];
  port?: string;
}

/** Workloads of a validation that names none. */
const DEFAULT_WORKLOADS = ['webhook-ack', 'webhook-wait'];

/** A plan from the flags; every value is checked before anything starts. Throws InputError. */
export function planFromOptions(options: ValidateOptions): Plan {
  const { values = [], set = [], query = [] } = options;
  for (const file of values) refuseUnknownKeys(readValuesFile(file), `-f ${file}`);
  for (const assignment of set) refuseUnknownAssignment(assignment);
  const known = catalogue();
  const groups = groupsOf(options, known);
  const used = [...new Set(groups.flat().map((part) => part.workload))].map((name) => findWorkload(name, known));
  const scriptEnv = queryEnvironment(query, used);
  const loads = groups.map((parts) => loadPlan(parts, known, scriptEnv));
  const slo = parseSlo(options.slo);
  const rates = ratePlan(options);
  return {
    values: { files: values, set },
    loads,
    slo,
    scriptEnv,
    ...timing(options, rates, slo, loads),
    ...(options.port !== undefined && { port: wholeNumber(options.port, '--port', 1, 65535) }),
  };
}

/** What is driven together: each workload alone, or all of a mix at once. */
function groupsOf(options: ValidateOptions, known: Map<string, Workload>): MixPart[][] {
  const { workload = [], mix, clients } = options;
  const [twice] = workload.filter((name, i) => workload.indexOf(name) !== i);
  if (twice !== undefined) throw new InputError(`--workload ${twice}: given twice; give each workload once.`);
  if (mix === undefined)
    return (workload.length > 0 ? workload : DEFAULT_WORKLOADS).map((name) => [{ workload: name, weight: 1 }]);
  const excluded = workload.length > 0 ? '--workload' : clients !== undefined ? '--clients' : undefined;
  if (excluded)
    throw new InputError(`--mix and ${excluded} exclude each other: a mix is workloads as shares of an arrival rate.`);
  return [readMix(mix, known)];
}

/** Longer than this nobody waits for a step that was not asked to be so long; the verdict then says what it cannot claim. */
const LONGEST_EXTENSION = 600;

/** The times of a step, and the rates as far as a step's length decides which can be judged at all. */
function timing(
  options: ValidateOptions,
  rates: RatePlan,
  slo: Slo,
  loads: LoadPlan[],
): Pick<Plan, 'rates' | 'stepSeconds' | 'warmupSeconds' | 'drainSeconds' | 'timeoutSeconds'> {
  const times = {
    stepSeconds: within(
      duration(options.stepDuration, '--step-duration'),
      5,
      3600,
      '--step-duration',
      options.stepDuration,
    ),
    warmupSeconds: within(duration(options.warmup, '--warmup'), 1, 600, '--warmup', options.warmup),
    drainSeconds: within(duration(options.drain, '--drain'), 1, 3600, '--drain', options.drain),
    timeoutSeconds: within(duration(options.timeout, '--timeout'), 1, 600, '--timeout', options.timeout),
  };
  const service = Math.max(...loads.flatMap((l) => Object.values(l.serviceSeconds)));
  if (times.timeoutSeconds <= service) {
    throw new InputError(
      `--timeout: ${options.timeout} is not allowed; the workload itself takes ${service}s, so write more than that.`,
    );
  }
  const least = MIN_SAMPLES / times.stepSeconds;
  if (rates.kind === 'rates' && Math.min(...rates.rates) < least) {
    const low = Math.min(...rates.rates);
    throw new InputError(
      `--rates: ${low}/s gives ${Math.floor(low * times.stepSeconds)} requests in ${times.stepSeconds}s, and ${MIN_SAMPLES} are needed; ` +
        `lengthen the step with --step-duration ${Math.ceil(MIN_SAMPLES / low)}s.`,
    );
  }
  if (rates.kind === 'search')
    return { ...times, rates: { ...rates, start: Math.max(rates.start, least), lowest: least } };
  if (rates.kind !== 'target') return { ...times, rates };
  const samples = Math.max(MIN_SAMPLES, samplesToClaim(slo.errors));
  if (rates.rate * rates.headroom * LONGEST_EXTENSION < MIN_SAMPLES) {
    throw new InputError(
      `the target of ${format(rates.rate)}/s is too low to measure: in ${LONGEST_EXTENSION}s it is under ${MIN_SAMPLES} requests.`,
    );
  }
  const needed = Math.min(LONGEST_EXTENSION, Math.ceil(samples / (rates.rate * rates.headroom)));
  return { ...times, rates, stepSeconds: Math.max(times.stepSeconds, needed) };
}

function within(seconds: number, least: number, most: number, name: string, given: string): number {
  if (seconds >= least && seconds <= most) return seconds;
  throw new InputError(`${name}: ${given} is not allowed; write ${least}s to ${most}s.`);
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
