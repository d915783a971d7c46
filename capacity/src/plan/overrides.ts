import { checkEach } from '../core/all-of.js';
import { didYouMean } from '../core/did-you-mean.js';
import { isSecretName } from '../chart/secret-names.js';
import { UsageError } from '../core/errors.js';
import { isVariableName, RELOCATING_VARIABLES, stripFileSuffix } from '../core/variables.js';
import type { Foreign, Overrides } from '../model/plan.js';
import type { DimensionValue } from '../model/dimensions.js';
import { HIDDEN, withoutSecrets } from './redact.js';

/** Parts of another chart's n8n that have no variable. */
const PARTS = ['workers', 'webhooks', 'concurrency', 'cpu', 'memory', 'heap'];

/** Those that count. */
const COUNTS = ['workers', 'webhooks', 'concurrency', 'heap'];

/** The usual dimensions that are a variable of n8n. */
const VARIABLES: Record<string, string> = {
  process: 'EXECUTIONS_PROCESS',
  poolSize: 'DB_POSTGRESDB_POOL_SIZE',
  expressionEngine: 'N8N_EXPRESSION_ENGINE',
  saving: 'EXECUTIONS_DATA_SAVE_ON_SUCCESS',
};

/** What the tool sets itself. */
const ITS_OWN = /^(N8N_PORT|N8N_METRICS\w*|QUEUE_HEALTH_CHECK_\w+)$/;

/** Dimensions of a sweep of another chart, in words. */
export const FOREIGN_DIMENSIONS = [...PARTS, ...Object.keys(VARIABLES), 'n8n'].join(', ');

/** The variables of `--env NAME=value`. Throws UsageError. */
export function variablesGiven(assignments: string[]): Overrides {
  return Object.fromEntries(
    checkEach(assignments, (assignment): [string, string] => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
      if (name === undefined || !isVariableName(name))
        throw new UsageError(
          `--env ${hiddenValue(assignment)}: is not allowed; write a variable of n8n and its value, such as N8N_LOG_LEVEL=warn.`,
        );
      refusePlace(name, `--env ${name}`);
      return [name, value!];
    }),
  );
}

/** An assignment for a message: its value may be secret, and so may a word that is no assignment. */
const hiddenValue = (assignment: string): string =>
  assignment.includes('=') ? `${assignment.split('=')[0]}=${HIDDEN}` : isVariableName(assignment) ? assignment : HIDDEN;

function refusePlace(name: string, source: string): void {
  if (RELOCATING_VARIABLES.test(stripFileSuffix(name)) || ITS_OWN.test(stripFileSuffix(name)))
    throw new UsageError(`${source}: cannot be set; the tool finds n8n and its metrics by n8n's own default.`);
}

/** Names of existing Secrets, and of keys in them, are no secret. */
const NAMES_SECRET = /(^|\.)existing_?secret(_?\w*key|[._]?name|\.key)?$/i;

/** Dimensions stand in every table of a sweep. */
function refuseSecret(name: string, value: DimensionValue, source: string): void {
  if (isSecretName(name) || withoutSecrets(String(value)) !== String(value))
    throw new UsageError(`${source}: holds a secret, and reports show dimensions; set it in the manifests.`);
}

/** What a configuration of a sweep changes in another chart's n8n. */
export interface ForeignSettings {
  /** Version of n8n to run. */
  n8n?: string;
  overrides: Overrides;
  /** Values of that chart by path. */
  values: Record<string, DimensionValue>;
}

/**
 * What the dimensions of a configuration are in another chart's n8n: its variables, parts of its deployment, or, with a chart,
 * values of that chart.
 * @throws UsageError for a dimension that is none of them
 */
export function foreignSettings(
  configuration: Record<string, DimensionValue>,
  { chart }: Pick<Foreign, 'chart'>,
): ForeignSettings {
  const settings: ForeignSettings = { overrides: {}, values: {} };
  for (const [name, value] of Object.entries(configuration)) {
    const as = VARIABLES[name] ?? name;
    if (name === 'n8n') settings.n8n = String(value);
    else if (isVariableName(as)) {
      refusePlace(as, `dimensions.${name}`);
      refuseSecret(as, value, `dimensions.${name}`);
      settings.overrides[as] = value;
    } else if (PARTS.includes(name)) settings.overrides[name] = counted(name, value);
    else if (chart !== undefined) {
      if (!NAMES_SECRET.test(name)) refuseSecret(name, value, `dimensions.${name}`);
      settings.values[name] = value;
    } else
      throw new UsageError(
        `dimensions.${name}: does not fit manifests${didYouMean(name, [...PARTS, ...Object.keys(VARIABLES)])} Known: ${FOREIGN_DIMENSIONS}, and any variable of n8n, such as N8N_LOG_LEVEL.`,
      );
  }
  return settings;
}

function counted(name: string, value: DimensionValue): DimensionValue {
  if (!COUNTS.includes(name) || (Number.isInteger(Number(value)) && Number(value) >= 1)) return value;
  throw new UsageError(`dimensions.${name}: ${String(value)} is not allowed; write a whole number from 1 on.`);
}
