import type { Command, Option } from 'commander';
import { throwIfProblems } from '../core/all-of.js';
import { didYouMean } from '../core/did-you-mean.js';
import { UsageError } from '../core/errors.js';
import { readYamlFile } from '../core/yaml.js';
import { collect } from './options/output.js';

/** Name of the file in the working folder. */
export const CONFIG_FILE = 'n8n-capacity.yaml';

/** A flag in the file, and its texts as on the command line; undefined for a flag that takes none. */
export interface ConfiguredFlag {
  option: Option;
  texts: (string | undefined)[];
}

/**
 * Reads a config file: for each command, its flags without the dashes. The whole file is checked, also for other commands.
 * @returns the flags of the command
 * @throws UsageError with all problems
 */
export function readConfig(file: string, commands: readonly Command[], command: string): ConfiguredFlag[] {
  // As text, so that 2.40 stays 2.40 and a flag means what it means on the command line.
  const content = readYamlFile(file, file, 'give the path of a config file', 'failsafe');
  const sections = Object.entries(asMap(content) ?? refused(`${file}: is not a map of commands to their flags.`));
  const problems: string[] = [];
  const names = commands.filter((known) => settable(known).length > 0).map((known) => known.name());
  const flags = sections.flatMap(([name, section]) => {
    const known = names.includes(name) ? commands.find((each) => each.name() === name) : undefined;
    if (!known) {
      problems.push(`${file}: unknown command "${name}"${didYouMean(name, names)} Known: ${names.join(', ')}.`);
      return [];
    }
    const read = readFlags(section, known);
    problems.push(...read.problems.map((problem) => `${file}: ${problem}`));
    return name === command ? read.flags : [];
  });
  throwIfProblems(problems);
  return flags;
}

/** The flags of a command that may be in a file; flags that show something and end are no defaults. */
export const settable = ({ options }: Command): Option[] => options.filter(({ long }) => long !== '--help-all');

function readFlags(section: unknown, command: Command): { flags: ConfiguredFlag[]; problems: string[] } {
  const map = asMap(section);
  if (!map)
    return { flags: [], problems: [`${command.name()}: is not a map of flags; write lines such as "quiet: true".`] };
  const options = settable(command);
  const flags: ConfiguredFlag[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(map)) {
    const option = options.find((each) => each.name() === name);
    const where = `${command.name()}.${name}`;
    if (!option) {
      const names = options.map((each) => each.name());
      problems.push(`unknown flag "${where}"${didYouMean(name, names)} Known here: ${names.join(', ')}.`);
      continue;
    }
    const read = readFlagTexts(value, option);
    if (typeof read === 'string') problems.push(`${where}: ${JSON.stringify(value)} is not allowed; write ${read}.`);
    else if (read.length > 0) flags.push({ option, texts: read });
  }
  return { flags, problems };
}

/** The texts of a flag, none if it is off; or what is allowed, in words. */
function readFlagTexts(value: unknown, option: Option): ConfiguredFlag['texts'] | string {
  if (option.isBoolean() || option.negate) {
    if (value === 'true') return [undefined];
    return value === 'false' ? [] : 'true or false';
  }
  if (isText(value)) return [value];
  if (option.parseArg !== collect) return 'a single value';
  return Array.isArray(value) && value.length > 0 && value.every(isText) ? value : 'a value or a list of values';
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** An empty section is one without flags. */
function asMap(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null || value === '') return {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function refused(problem: string): never {
  throw new UsageError(problem);
}
