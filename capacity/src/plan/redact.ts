import type { LoadPlan, Overrides, Plan, Values } from '../model/plan.js';

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

/**
 * An assignment of `--set`, `--set-string` or `--set-json` for a record, which people share: unchanged, or only its first key if a
 * value may be secret.
 */
export function redacted(assignment: string): string {
  return mayHoldSecret(assignment.replace(NAME_OF_SECRET, '')) ? keyOf(assignment) : assignment;
}

/** A JSON object of values has no key before it. */
const keyOf = (assignment: string) =>
  assignment.trim().startsWith('{') ? NOT_RECORDED : `${assignment.split('=')[0]}=${NOT_RECORDED}`;

/** Only assignments hold values; files and profiles are named. All assignments may be secret where the chart is another one. */
function redactedValues({ profile, files, set, setString, setFile, setJson }: Values, isForeign: boolean): Values {
  const assignment = isForeign ? keyOf : redacted;
  return {
    ...(profile !== undefined && { profile }),
    files: files.map(withoutSecrets),
    set: set.map(assignment),
    ...(setString && { setString: setString.map(assignment) }),
    ...(setFile && { setFile: setFile.map(withoutSecrets) }),
    ...(setJson && { setJson: setJson.map(assignment) }),
  };
}

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

/** The plan for a record, without values that may be secret. */
export function redactedPlan(plan: Plan): Plan {
  const { foreign, values, loads, scriptEnv } = plan;
  return {
    ...plan,
    loads: loads.map(redactedLoad),
    scriptEnv: Object.fromEntries(Object.entries(scriptEnv).map(([name, value]) => [name, withoutSecrets(value)])),
    values: redactedValues(values, foreign !== undefined),
    ...(foreign && {
      foreign: {
        ...foreign,
        ...(foreign.chart !== undefined && { chart: withoutSecrets(foreign.chart) }),
        ...(foreign.overrides && { overrides: redactedOverrides(foreign.overrides) }),
      },
    }),
  };
}
