import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartFolder } from '../core/paths.js';

/** The lists of the chart's files/secret-names.yaml, which explains each of them. */
interface SecretNames {
  ends: string[];
  suffixes: string[];
  except: string[];
  holds: string[];
  mayHold: string[];
}

const names = parse(readFileSync(join(chartFolder, 'files', 'secret-names.yaml'), 'utf8')) as SecretNames;

const alternatives = (words: string[]): string => words.join('|');
const SECRET = new RegExp(`((^|_)(${alternatives(names.ends)})|(${alternatives(names.suffixes)}))S?(_?[0-9]+)?$`);
const EXCEPT = new RegExp(`(^|_)(${alternatives(names.except)})S?(_?[0-9]+)?$`);
const HOLDS = new RegExp(alternatives(names.holds));
const MAY_HOLD = new RegExp(alternatives([...names.holds, ...names.mayHold]));

/** Converts a name such as `externalRedis.passwordKey` to EXTERNAL_REDIS_PASSWORD_KEY. */
const toUpperSnake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[.-]/g, '_');

/** Converts a name such as `SMTPPass` to SMTP_PASS. */
const splitWords = (name: string): string =>
  toUpperSnake(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2'));

/** Whether a variable with this name is a secret; the chart refuses it as plain text (templates/checks/_extra-env.tpl). */
export const isSecretName = (name: string): boolean => SECRET.test(splitWords(name)) && !EXCEPT.test(splitWords(name));

/** Whether the name of a variable, or of a key of a Secret, suggests that its value is a secret. */
export const isLikelySecret = (name: string): boolean => HOLDS.test(toUpperSnake(name));

/** Whether a value of this name, or a value in this text, may be a secret and must not be shown. */
export const canBeSecret = (text: string): boolean => MAY_HOLD.test(toUpperSnake(text));
