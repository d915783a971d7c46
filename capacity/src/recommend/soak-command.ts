import { isAbsolute } from 'node:path';
import { STEP_DEFAULTS } from '../plan/times.js';
import type { LoadPlan, Plan, CustomWorkflow } from '../model/plan.js';
import { duration } from '../plan/quantities.js';
import { catalogue } from '../plan/workloads.js';
import type { RecordedRun } from '../record/recorder.js';

/** Shows for a day ahead that memory does not grow; a week takes a night (bench/truth/leak.ts). */
const LENGTH = ['--duration', '2h', '--horizon', '1d'];

/** The part of a record that says which load ran, and where. */
type Driven = Pick<RecordedRun, 'run' | 'steps'>;

/**
 * Shell commands that prove a values file by a soak, one for each load of a run, with the same load in the same place. Flags
 * that a record does not hold are named in a comment below the command.
 * @param rateOf arrivals per second for a load; undefined if unknown: the load then has no command
 * @param file path of the values file
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
    const soak = ['-f', file, '--rate', `${Number(rate.toPrecision(6))}/s`, ...LENGTH];
    const words = ['n8n-capacity', 'soak', ...soak, ...whatOf(load, plan), '--slo', objectives(plan)];
    const command = mixBefore(load) + [...words, ...times(plan), ...whereOf(driven)].map(quoted).join(' ');
    return [[command, ...comments(load, driven)].join('\n')];
  });
};

/** A word quoted for POSIX shells. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

function whatOf(load: LoadPlan, { scriptEnv }: Plan): string[] {
  const { name, parts, custom } = load;
  if (custom) return customOf(load, custom, scriptEnv);
  return [...(parts.length > 1 ? ['--mix', '/dev/stdin'] : ['--workload', name]), ...queries(parts, scriptEnv)];
}

/** Pipes a mix into the command: a record holds the parts of a mix, not its file. */
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

/** Whether the webhook's path holds the workflow's id, which changes from run to run if the file has none. */
const isOfItsId = ({ path, id }: CustomWorkflow): boolean => path.startsWith(`/webhook/${id}/`);

const option = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [name, value]);

/** Parameters that differ from the catalogue's defaults. */
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

/** Times of a step that differ from the defaults. */
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
  return ['--provisioner', 'kubernetes'];
}

const isOnKubernetes = ({ run }: Driven): boolean => run.deployment.provisioner === 'kubernetes';

/** Comments below a command: flags that the record does not hold, and the folder of relative paths. */
function comments({ custom }: LoadPlan, driven: Driven): string[] {
  const missing = [
    ...(isOnKubernetes(driven) ? ['--kube-context', '--generators'] : []),
    ...(custom && isOfItsId(custom) ? ['--webhook'] : []),
    ...(custom ? ['--allow-side-effects'] : []),
  ];
  const files = custom ? [custom.file, ...custom.subWorkflows, custom.credentials ?? '/'] : [];
  return [
    ...(missing.length > 0
      ? [`# add these flags if the run had them; they are not recorded: ${missing.join(', ')}`]
      : []),
    ...(files.every((file) => isAbsolute(file))
      ? []
      : ['# run it in the folder where the run was started: its paths are relative']),
  ];
}
