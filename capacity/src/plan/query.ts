import { InputError } from '../errors.js';
import { didYouMean } from '../suggest.js';
import type { Workload } from './workloads.js';

/** As the k6 scripts read numbers. */
const DECIMAL = /^\d+(\.\d{1,6})?$/;

/** `--query n=5000000`: a workload's query parameter, by its name in the catalogue. Every parameter gets its value here. */
export function queryEnvironment(assignments: string[], used: Workload[]): Record<string, string> {
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
    const { minimum, maximum, integer = false } = parameter;
    const number = DECIMAL.test(value) ? Number(value) : Number.NaN;
    if (!(number >= minimum && number <= maximum) || (integer && !Number.isInteger(number))) {
      const kind = integer ? 'whole number' : 'number';
      throw new InputError(
        `--query ${name}: "${value}" is not allowed; write a ${kind} from ${minimum} to ${maximum}.`,
      );
    }
    env[parameter.env] = value;
  }
  return env;
}
