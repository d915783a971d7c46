import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { InputError } from '../errors.js';
import { samplesToClaim } from '../judge/statistics.js';
import { didYouMean } from '../suggest.js';
import type { LoadPlan, MixPart, Plan, RatePlan } from './plan.js';
import { arrivalRate, duration, wholeNumber } from './quantities.js';
import { parseSlo } from './slo.js';
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

/** What a search does when nobody says otherwise. A lower start would give too few samples in a step of 10 s. */
const SEARCH: Extract<RatePlan, { kind: 'search' }> = {
  kind: 'search',
  start: 2,
  factor: 2,
  precision: 0.2,
  maxSteps: 10,
};

/** Workloads of a validation that names none. */
const DEFAULT_WORKLOADS = ['webhook-ack', 'webhook-wait'];

/** A plan from the flags; every value is checked before anything starts. Throws InputError. */
export function planFromOptions(options: ValidateOptions): Plan {
  const { values = [], set = [], workload = [], query = [] } = options;
  for (const file of values) refuseUnknownKeys(readValuesFile(file), `-f ${file}`);
  for (const assignment of set) refuseUnknownAssignment(assignment);
  const known = catalogue();
  const mix = options.mix === undefined ? undefined : readMix(options.mix, known);
  if (mix && workload.length > 0)
    throw new InputError(
      '--mix and --workload exclude each other: put the workload into the mix file with its weight.',
    );
  const names = workload.length > 0 ? workload : DEFAULT_WORKLOADS;
  const groups: MixPart[][] = mix ? [mix] : names.map((name) => [{ workload: name, weight: 1 }]);
  const used = [...new Set(groups.flat().map((part) => part.workload))].map((name) => findWorkload(name, known));
  const scriptEnv = queryEnvironment(query, used);
  const slo = parseSlo(options.slo);
  const stepSeconds = duration(options.stepDuration, '--step-duration');
  if (stepSeconds < 5 || stepSeconds > 3600)
    throw new InputError(`--step-duration: ${options.stepDuration} is not allowed; write 5s to 1h.`);
  const rates = ratePlan(options);
  return {
    values: { files: values, set },
    loads: groups.map((parts) => loadPlan(parts, known, scriptEnv)),
    rates,
    slo,
    stepSeconds: rates.kind === 'target' ? Math.max(stepSeconds, secondsToClaim(slo.errors, rates)) : stepSeconds,
    warmupSeconds: duration(options.warmup, '--warmup'),
    drainSeconds: duration(options.drain, '--drain'),
    timeoutSeconds: duration(options.timeout, '--timeout'),
    scriptEnv,
    ...(options.port !== undefined && { port: wholeNumber(options.port, '--port', 1, 65535) }),
  };
}

/** Longer than this nobody waits for a step that was not asked to be so long; the verdict then says what it cannot claim. */
const LONGEST_EXTENSION = 600;

/** How long a step at the target must be for its requests, all answered, to support the objective for errors. */
function secondsToClaim(errors: number, { rate, headroom }: { rate: number; headroom: number }): number {
  return Math.min(LONGEST_EXTENSION, Math.ceil(samplesToClaim(errors) / (rate * headroom)));
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

function ratePlan(options: ValidateOptions): RatePlan {
  const given = (['target', 'perDay', 'rates', 'clients'] as const).filter((key) => options[key] !== undefined);
  if (given.length > 1) throw new InputError(`${given.map(flag).join(' and ')} exclude each other: give one.`);
  for (const [key, needs] of [
    ['peak', 'perDay'],
    ['headroom', given.includes('perDay') ? 'perDay' : 'target'],
  ] as const) {
    if (options[key] !== undefined && options[needs] === undefined)
      throw new InputError(`${flag(key)} needs ${flag(needs)}.`);
  }
  const headroom = options.headroom === undefined ? 1.3 : Number(options.headroom);
  if (!(headroom >= 1 && headroom <= 10))
    throw new InputError(`--headroom: "${options.headroom}" is not allowed; write a factor from 1 to 10, as in 1.3.`);
  if (options.target !== undefined) return { kind: 'target', rate: arrivalRate(options.target, '--target'), headroom };
  if (options.perDay !== undefined) return { kind: 'target', rate: perDay(options.perDay, options.peak), headroom };
  if (options.rates !== undefined)
    return { kind: 'rates', rates: options.rates.split(',').map((r) => arrivalRate(r, '--rates')) };
  if (options.clients !== undefined)
    return { kind: 'closed', clients: wholeNumber(options.clients, '--clients', 1, 10_000) };
  return SEARCH;
}

const flag = (key: string) => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/** Executions a day, as the rate of the busiest hour: the mean times the peak factor. */
function perDay(text: string, peak = '1x'): number {
  const executions = wholeNumber(text.replace(/[_']/g, ''), '--per-day', 1, 1_000_000_000);
  const factor = Number(/^(\d+(?:\.\d+)?)x?$/.exec(peak)?.[1]);
  if (!(factor >= 1 && factor <= 1000))
    throw new InputError(
      `--peak: "${peak}" is not allowed; write how many times the mean the busiest hour is, as in 4x.`,
    );
  return (executions / 86_400) * factor;
}

/** `--query n=5000000`: a workload's query parameter, by its name in the catalogue. Every parameter gets its value here. */
function queryEnvironment(assignments: string[], used: Workload[]): Record<string, string> {
  const parameters = new Map(used.flatMap((w) => Object.entries(w.query)));
  const env = Object.fromEntries([...parameters.values()].map((p) => [p.env, String(p.default)]));
  for (const assignment of assignments) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(assignment) ?? [];
    const parameter = parameters.get(name);
    const names = [...parameters.keys()];
    if (!parameter) {
      const known =
        names.length > 0 ? `Known for these workloads are ${names.join(', ')}` : 'These workloads have none';
      throw new InputError(`--query ${assignment}: unknown parameter "${name}"${didYouMean(name, names)} ${known}.`);
    }
    if (!(value !== '' && Number(value) >= parameter.minimum && Number(value) <= parameter.maximum)) {
      throw new InputError(
        `--query ${name}: "${value}" is not allowed; write a number from ${parameter.minimum} to ${parameter.maximum}.`,
      );
    }
    env[parameter.env] = value;
  }
  return env;
}

/** A mix file: workloads and their weights. */
const MixFile = z.record(z.string(), z.number().positive());

function readMix(file: string, known: Map<string, Workload>): MixPart[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(
      `--mix ${file}: cannot be read (${(error as NodeJS.ErrnoException).code}); give the path of a mix file.`,
    );
  }
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new InputError(`--mix ${file}: is not valid YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  const result = MixFile.safeParse(content);
  if (!result.success || Object.keys(result.data).length === 0) {
    const where = result.error?.issues[0]?.path.join('.');
    throw new InputError(
      `--mix ${file}: ${where ? `"${where}" needs a weight above 0` : 'is not a map of workloads to weights'}; write lines as in "webhook-ack: 3".`,
    );
  }
  return Object.entries(result.data).map(([workload, weight]) => ({
    workload: findWorkload(workload, known).name,
    weight,
  }));
}
