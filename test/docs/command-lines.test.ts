import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { createProgram } from '../../capacity/src/program.js';

/**
 * Each call of n8n-capacity on the pages uses an existing command and valid options with their arguments. Nothing is run here;
 * commands.test.ts runs the commands of some pages.
 */

const root = join(import.meta.dirname, '../..');
const PAGES = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && !page.startsWith('test/'));

/** The commands in the blocks of shell code of a page, continued lines joined, without comments. */
const findCommandLines = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^ *```(?:sh|bash|yaml|console)\n([^]*?)^ *```$/gm)]
    .flatMap(([, block]) => block!.replace(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim().replace(/\s+#.*$/, ''))
    .filter((line) => CALL.test(line));

/** Variables and a launcher may precede the command. */
const CALL = /^(?:(?:[A-Z0-9_]+=\S+|npx|sudo|docker run .*?) )*n8n-capacity (?=\S)/;

/** The arguments, split like in a shell. Text after a pipe or a redirection is left out. */
const splitArguments = (line: string): string[] =>
  line
    .replace(CALL, '')
    .split(/ (?:\||>|>>|&&) /)[0]!
    .match(/(?:[^\s"']|'[^']*'|"[^"]*")+/g)!
    .map((word) => word.replace(/["']/g, ''));

/** Why the program does not take the arguments; undefined if it does. */
async function parseError(args: string[]): Promise<string | undefined> {
  const program = await createProgram(new AbortController().signal, args);
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(quiet);
  };
  quiet(program);
  try {
    program.parse(['--no-config', ...args], { from: 'user' });
    return undefined;
  } catch (error) {
    return error instanceof CommanderError && error.exitCode === 0 ? undefined : String(error);
  }
}

const lines = PAGES.flatMap((page) => findCommandLines(page).map((line): [string, string] => [page, line]));

test('the pages contain command lines', () => {
  expect(lines.length).toBeGreaterThan(60);
  expect(lines.map(([page]) => page)).toEqual(expect.arrayContaining(['README.md', 'docs/validate.md']));
});

test.each(lines)('%s: %s', (_, line) => expect(parseError(splitArguments(line))).resolves.toBeUndefined());

test.each(['validate --taget 20/s', 'valdate', 'compare a', 'validate --target', 'recommend'])(
  '%s is refused',
  async (line) => expect(await parseError(splitArguments(`n8n-capacity ${line}`))).toBeDefined(),
);
