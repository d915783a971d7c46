import { canBeSecret } from '../chart/secret-names.js';
import type { LoadPlan, Overrides, Plan, Values } from '../model/plan.js';
import { withoutSecretForms } from './secret-forms.js';

/** In the place of what may be a secret: records are shared. */
export const NOT_RECORDED = '<not recorded>';

/** In the place of what may be a secret in a message: messages are in the logs of pipelines. */
export const HIDDEN = '***';

/** Parts of the chart's values that take anything. */
const TAKES_ANYTHING =
  /stringData|env\b|extraEnv|extraManifests|extraContainers|extraInitContainers|extraVolumes|annotations|config\b/i;

/** Assignments of names of existing Secrets, and of keys in them, which are not secret. */
const NAME_OF_SECRET =
  /(?<=^|(?<!\\),)(?:[^=,\\]*\.)?existingSecret(?:(?:Access|Secret|Host|User|Database)?Key)?="?[\w.-]*"?(?=,|$)/g;

/** A value of a query that says nothing. */
const PLAIN = /^(-?\d+(\.\d+)?|true|false)?$/;

/** A user and the colon before its password, without a scheme. */
const USER = /(?<![^=,[{(])[^=,[{(:@]*:(?!\/\/)/;

/** What ends a password. The @ before the digest of an image does not. */
const END_OF_PASSWORD = /@(?!sha256:[0-9a-f]{64}(?![0-9a-f]))/g;

/** A word without user:password@. One look at each part of it: text of any length comes here. */
function withoutUser(word: string, instead: string): string {
  const end = [...word.matchAll(END_OF_PASSWORD)].at(-1)?.index;
  const start = end === undefined ? -1 : word.slice(0, end).search(USER);
  return start < 0 ? word : `${word.slice(0, start)}${instead}${word.slice(end)}`;
}

/**
 * A text without credentials in URLs and before an @, without values in query strings other than numbers and booleans, and
 * without what its form says is a secret.
 * @param instead in their place
 */
export const withoutSecrets = (text: string, instead = NOT_RECORDED): string =>
  withoutSecretForms(text, instead)
    .replace(/(?<=:\/\/)[^\s/?#"']+@/g, `${instead}@`)
    .replace(/[^\s"']+/g, (word) => withoutUser(word, instead))
    .replace(/\?([^\s"'#]+)/g, (_, query: string) => {
      const shown = query.split('&').map((parameter) => plainParameter(parameter, instead));
      return `?${shown.join('&')}`;
    });

function plainParameter(parameter: string, instead: string): string {
  const [name, value] = parameter.split(/=(.*)/s) as [string, string?];
  if (PLAIN.test(value ?? name)) return parameter;
  return value === undefined ? instead : `${name}=${instead}`;
}

const mayHoldSecret = (text: string): boolean =>
  canBeSecret(text) || TAKES_ANYTHING.test(text) || withoutSecrets(text) !== text;

/**
 * An assignment of `--set`, `--set-string` or `--set-json` for a record, which people share: unchanged, or only its first key if a
 * value may be secret.
 * @param instead in the place of the value
 */
export function redacted(assignment: string, instead = NOT_RECORDED): string {
  return mayHoldSecret(assignment.replace(NAME_OF_SECRET, '')) ? assignmentKey(assignment, instead) : assignment;
}

/** A JSON object of values has no key before it, and what is no assignment may be a value alone. */
const assignmentKey = (assignment: string, instead = NOT_RECORDED) =>
  assignment.trim().startsWith('{') || !assignment.includes('=') ? instead : `${assignment.split('=')[0]}=${instead}`;

/** Only assignments hold values; files and profiles are named. All assignments may be secret where the chart is another one. */
function redactedValues({ profile, files, set, setString, setFile, setJson }: Values, isForeign: boolean): Values {
  const assignment = (text: string) => (isForeign ? assignmentKey(text) : redacted(text));
  return {
    ...(profile !== undefined && { profile }),
    files: files.map((file) => withoutSecrets(file)),
    set: set.map(assignment),
    ...(setString && { setString: setString.map(assignment) }),
    ...(setFile && { setFile: setFile.map((text) => withoutSecrets(text)) }),
    ...(setJson && { setJson: setJson.map(assignment) }),
  };
}

/** A switch says nothing, whatever its name is. */
const SWITCH = /^(true|false|)$/;

const redactedOverrides = (overrides: Overrides): Overrides =>
  Object.fromEntries(
    Object.entries(overrides).map(([name, value]) => {
      const text = String(value);
      const isSecret = canBeSecret(name) || withoutSecrets(text) !== text;
      return [name, isSecret && !SWITCH.test(text) ? NOT_RECORDED : value];
    }),
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
