import { checkEach } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';
import { HIDDEN, withoutSecrets } from './redact.js';
import type { Workload } from './workloads.js';

/** Name and value of a query parameter, as the user wrote them. */
export type QueryParameter = readonly [name: string, value: string];

type Allowed = Workload['query'][string];

/** Numbers as the k6 scripts read them. */
const DECIMAL = /^\d+(\.\d{1,6})?$/;

/** Parameters from `--query seconds=2` flags. Throws UsageError. */
export const parseQuery = (assignments: string[]): QueryParameter[] =>
  checkEach(assignments, (assignment) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (name !== undefined && value !== undefined) return [name, value];
    throw new UsageError(
      `--query ${withoutSecrets(assignment, HIDDEN)}: is not allowed; write name=value, such as seconds=2.`,
    );
  });

/**
 * Environment of the k6 scripts: each query parameter of the workloads, with its default where none is given. In a mix, a
 * parameter applies to every workload that has one of that name.
 * @param option for messages
 * @throws UsageError
 */
export function queryEnvironment(
  given: QueryParameter[],
  used: Workload[],
  option = '--query',
): Record<string, string> {
  const parameters = used.flatMap((w) => Object.entries(w.query));
  const names = [...new Set(parameters.map(([name]) => name))];
  const env = Object.fromEntries(parameters.map(([, p]) => [p.env, String(p.default)]));
  checkEach(given, ([name, value]) => {
    if (!names.includes(name)) {
      const known = names.length > 0 ? `Known for these workloads: ${names.join(', ')}` : 'These workloads have none';
      throw new UsageError(`${option} ${name}: unknown parameter${didYouMean(name, names)} ${known}.`);
    }
    for (const [named, allowed] of parameters)
      if (named === name) env[allowed.env] = checked(`${option} ${name}`, value, allowed);
  });
  return env;
}

function checked(where: string, value: string, { minimum, maximum, integer = false }: Allowed): string {
  const number = DECIMAL.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum && (!integer || Number.isInteger(number))) return value;
  const kind = integer ? 'whole number' : 'number';
  throw new UsageError(`${where}: "${value}" is not allowed; write a ${kind} from ${minimum} to ${maximum}.`);
}
