import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';
import type { Workload } from './workloads.js';

type Parameter = Workload['query'][string];

/** As the k6 scripts read numbers. */
const DECIMAL = /^\d+(\.\d{1,6})?$/;

/**
 * `--query n=5000000`: a workload's query parameter, by its name in the catalogue; in a mix, of every workload
 * that has one of that name. Every parameter gets its value here.
 */
export function queryEnvironment(assignments: string[], used: Workload[]): Record<string, string> {
  const parameters = used.flatMap((w) => Object.entries(w.query));
  const names = [...new Set(parameters.map(([name]) => name))];
  const env = Object.fromEntries(parameters.map(([, p]) => [p.env, String(p.default)]));
  for (const assignment of assignments) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(assignment) ?? [];
    if (!names.includes(name)) {
      const known =
        names.length > 0 ? `Known for these workloads are ${names.join(', ')}` : 'These workloads have none';
      throw new UsageError(`--query ${assignment}: unknown parameter "${name}"${didYouMean(name, names)} ${known}.`);
    }
    for (const [named, parameter] of parameters) {
      if (named === name) env[parameter.env] = checked(name, value, parameter);
    }
  }
  return env;
}

function checked(name: string, value: string, { minimum, maximum, integer = false }: Parameter): string {
  const number = DECIMAL.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum && (!integer || Number.isInteger(number))) return value;
  const kind = integer ? 'whole number' : 'number';
  throw new UsageError(`--query ${name}: "${value}" is not allowed; write a ${kind} from ${minimum} to ${maximum}.`);
}
