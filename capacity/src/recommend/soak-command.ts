import { isAbsolute } from 'node:path';
import { STEP_DEFAULTS } from '../plan/times.js';
import type { LoadPlan, Plan, CustomWorkflow } from '../model/plan.js';
import { duration } from '../plan/quantities.js';
import { catalogue } from '../plan/workloads.js';
import type { RecordedRun } from '../record/recorder.js';

/** Long enough for a verdict on drift. */
const DURATION = '15m';

/** The part of a record that says what was driven, and where. */
type Driven = Pick<RecordedRun, 'run' | 'steps'>;

/**
 * The commands for a shell that would prove a values file by a soak, one for each load of a run: they drive what was driven,
 * where it was. What a record does not hold is named in a comment, a line below the command.
 * @param rateOf arrivals per second for a load; undefined where none is known
 */
export const soakCommands = (
  driven: Driven,
  rateOf: (load: LoadPlan) => number | undefined,
  file: string,
): string[] => {
  const { plan } = driven.run;
  return plan.loads.flatMap((load) => {
    const rate = rateOf(load);
    if (rate === undefined) return [];
    const soak = ['-f', file, '--rate', `${Number(rate.toPrecision(6))}/s`, '--duration', DURATION];
    const words = ['n8n-capacity', 'soak', ...soak, ...whatOf(load, plan), '--slo', objectives(plan)];
    const command = mixBefore(load) + [...words, ...times(plan), ...whereOf(driven)].map(quoted).join(' ');
    return [[command, ...comments(load, driven)].join('\n')];
  });
};

/** A word of a command as every POSIX shell reads it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

function whatOf(load: LoadPlan, { scriptEnv }: Plan): string[] {
  const { name, parts, custom } = load;
  if (custom) return customOf(load, custom, scriptEnv);
  return [...(parts.length > 1 ? ['--mix', '/dev/stdin'] : ['--workload', name]), ...queries(parts, scriptEnv)];
}

/** Writes a mix to the input of the command behind it: a record holds its parts, and not the file that they were read from. */
function mixBefore({ parts }: LoadPlan): string {
  if (parts.length === 1) return '';
  return `printf '%s\\n' ${parts.map(({ workload, weight }) => quoted(`${workload}: ${weight}`)).join(' ')} | `;
}

function customOf(load: LoadPlan, custom: CustomWorkflow, env: Record<string, string>): string[] {
  const [service = 0] = Object.values(load.serviceSeconds);
  const [execution = service] = Object.values(load.executionSeconds);
  return [
    ...['--workflow', custom.file],
    ...custom.subWorkflows.flatMap((file) => ['--sub-workflow', file]),
    ...option('--credentials', custom.credentials),
    ...option('--webhook', isOfItsId(custom) ? undefined : custom.path),
    ...['--method', custom.method],
    ...option('--body', env.BODY_FILE),
    ...option('--headers', env.HEADERS_FILE),
    ...option('--expect-status', env.EXPECT_STATUS),
    ...option('--service-time', service === 0 ? undefined : time(service)),
    ...option('--execution-time', execution === service ? undefined : time(execution)),
  ];
}

/** Whether the path of its webhook holds the workflow's id, which is a new one in each run where the file has none. */
const isOfItsId = ({ path, id }: CustomWorkflow): boolean => path.startsWith(`/webhook/${id}/`);

const option = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [name, value]);

/** Parameters that are not the catalogue's custom. */
function queries(parts: LoadPlan['parts'], env: Record<string, string>): string[] {
  const known = catalogue();
  const all = parts.flatMap(({ workload }) =>
    Object.entries(known.get(workload)?.query ?? {}).flatMap(([name, parameter]) => {
      const value = env[parameter.env];
      return value === undefined || Number(value) === parameter.default ? [] : [`${name}=${value}`];
    }),
  );
  return [...new Set(all)].flatMap((assignment) => ['--query', assignment]);
}

function objectives({ slo: { errors, ...percentiles } }: Plan): string {
  const latencies = Object.entries(percentiles).map(([key, seconds]) => `${key}=${time(seconds)}`);
  return [...latencies, `errors=${Number((errors * 100).toPrecision(6))}%`].join(',');
}

/** Times of a step that are not the default. */
function times({ warmupSeconds, drainSeconds, timeoutSeconds }: Plan): string[] {
  const all = { warmup: warmupSeconds, drain: drainSeconds, timeout: timeoutSeconds };
  return (['warmup', 'drain', 'timeout'] as const).flatMap((name) =>
    all[name] === duration(STEP_DEFAULTS[name], name) ? [] : [`--${name}`, time(all[name])],
  );
}

/** Seconds as a flag takes them. */
const time = (seconds: number): string => `${Number((seconds * 1000).toFixed(3))}ms`;

function whereOf(driven: Driven): string[] {
  if (!isOnKubernetes(driven)) return [];
  return ['--provisioner', 'kubernetes', ...(isFromHere(driven) ? ['--generator', 'local'] : [])];
}

const isOnKubernetes = ({ run }: Driven): boolean => run.deployment.provisioner === 'kubernetes';

/** Whether k6 was on the machine of n8n-capacity, and not in the cluster. */
const isFromHere = ({ steps }: Driven): boolean => steps.some(({ k6 }) => k6.place === 'forwarded');

/** Which flags may be missing, and where files are looked for. */
function comments({ custom }: LoadPlan, driven: Driven): string[] {
  const missing = [
    ...(isOnKubernetes(driven) ? ['--kube-context'] : []),
    ...(isOnKubernetes(driven) && !isFromHere(driven) ? ['--generators'] : []),
    ...(custom && isOfItsId(custom) ? ['--webhook'] : []),
    ...(custom ? ['--allow-side-effects'] : []),
  ];
  const files = custom ? [custom.file, ...custom.subWorkflows, custom.credentials ?? '/'] : [];
  return [
    ...(missing.length > 0
      ? [`# add what the run was given of these, which is not recorded: ${missing.join(', ')}`]
      : []),
    ...(files.every((file) => isAbsolute(file))
      ? []
      : ['# run it in the folder in which the run was started: paths are relative to it']),
  ];
}
