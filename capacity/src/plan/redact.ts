import type { LoadPlan, Overrides, Plan } from '../model/plan.js';

/** In the place of what may be a secret: records are shared. */
export const NOT_RECORDED = '<not recorded>';

/**
 * Words in a path whose value may be a secret, and parts of the chart's values that take anything. Names of existing Secrets
 * are not secret.
 */
const SECRET = new RegExp(
  [
    ...['passw', 'passphrase', 'secret', 'token', 'key', 'credential', 'auth', 'cookie', 'stringData'],
    ...['env\\b', 'extraEnv', 'extraManifests', 'extraContainers', 'extraInitContainers', 'extraVolumes'],
    ...['annotations', 'config\\b'],
  ].join('|'),
  'i',
);
const NAME_OF_SECRET = /existingSecret\w*=[^,]*/gi;

/** A value of a query that says nothing. */
const PLAIN = /^(-?\d+(\.\d+)?|true|false)?$/;

/** A text without credentials in URLs, and without values in query strings other than numbers and booleans. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"']+@/gi, `$1${NOT_RECORDED}@`)
    .replace(/\?([^\s"'#]+)/g, (_, query: string) => `?${query.split('&').map(plainParameter).join('&')}`);

function plainParameter(parameter: string): string {
  const [name, value] = parameter.split(/=(.*)/s) as [string, string?];
  if (PLAIN.test(value ?? name)) return parameter;
  return value === undefined ? NOT_RECORDED : `${name}=${NOT_RECORDED}`;
}

const mayHoldSecret = (text: string): boolean => SECRET.test(text) || withoutSecrets(text) !== text;

/** A `--set` assignment for a record, which people share: unchanged, or only its first key if a value may be secret. */
export function redacted(assignment: string): string {
  return mayHoldSecret(assignment.replace(NAME_OF_SECRET, '')) ? keyOf(assignment) : assignment;
}

const keyOf = (assignment: string) => `${assignment.split('=')[0]}=${NOT_RECORDED}`;

const redactedOverrides = (overrides: Overrides): Overrides =>
  Object.fromEntries(
    Object.entries(overrides).map(([name, value]) => [
      name,
      SECRET.test(name) || withoutSecrets(String(value)) !== String(value) ? NOT_RECORDED : value,
    ]),
  );

const redactedLoad = ({ custom, served, ...load }: LoadPlan): LoadPlan => ({
  ...load,
  ...(custom && { custom: { ...custom, path: withoutSecrets(custom.path) } }),
  ...(served && { served: { ...served, path: withoutSecrets(served.path) } }),
});

/** The plan for a record, without values that may be secret; all of `--set` may be where the chart is another one. */
export function redactedPlan(plan: Plan): Plan {
  const { foreign, values, loads, scriptEnv } = plan;
  return {
    ...plan,
    loads: loads.map(redactedLoad),
    scriptEnv: Object.fromEntries(Object.entries(scriptEnv).map(([name, value]) => [name, withoutSecrets(value)])),
    values: { files: values.files.map(withoutSecrets), set: values.set.map(foreign ? keyOf : redacted) },
    ...(foreign && {
      foreign: {
        ...foreign,
        ...(foreign.chart !== undefined && { chart: withoutSecrets(foreign.chart) }),
        ...(foreign.overrides && { overrides: redactedOverrides(foreign.overrides) }),
      },
    }),
  };
}
