import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { withCompletion } from './commands/completion.js';
import { withConfig } from './commands/config.js';
import { CONFIG_FILE } from './commands/config-file.js';
import { GROUPS, type CommandEntry } from './commands/feature.js';
import { commandsOf } from './commands/list.js';
import { findReaderAmong } from './commands/records.js';
import { exitCodesHelp, VERDICT_EXIT_CODES } from './core/exit-codes.js';
import { readToolPackage } from './core/paths.js';
import { FEATURES } from './features/features.js';

const groupIndex = ({ group }: CommandEntry): number => (group === undefined ? GROUPS.length : GROUPS.indexOf(group));

/** All commands, in the order of the help. */
const ENTRIES: CommandEntry[] = [
  ...commandsOf(findReaderAmong(FEATURES)),
  ...FEATURES.flatMap(({ command, oldCommands = [] }) => [command, ...oldCommands]),
].sort((a, b) => groupIndex(a) - groupIndex(b));

/**
 * The program. Nothing runs until it parses arguments.
 * @param args of the command line: only the commands that they name are loaded. Undefined: all are.
 */
export async function createProgram(interruption: AbortSignal, args?: readonly string[]): Promise<Command> {
  const program = new Command('n8n-capacity')
    .description('Find the capacity of an n8n deployment, what limits it, and the chart values that meet an SLO.')
    .version(readToolPackage().version)
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => [command.name(), entryOf(command)?.arguments ?? ''].join(' ').trim(),
    })
    .addHelpText(
      'after',
      `\nExamples:\n  n8n-capacity validate --target 20/s\n  n8n-capacity --config staging.yaml validate\n\n${exitCodesHelp(VERDICT_EXIT_CODES)}\n\nRun "n8n-capacity <command> --help" for options and examples.`,
    );
  const isWanted = (entry: CommandEntry) => args === undefined || args.includes(entry.name) || readsConfig(args);
  for (const entry of ENTRIES) {
    const command = new Command(entry.name).description(entry.description);
    if (entry.group !== undefined) command.helpGroup(entry.group);
    if (isWanted(entry)) (await entry.load())(command, interruption);
    program.addCommand(command, { hidden: entry.group === undefined });
  }
  return withCompletion(withConfig(program), 'Maintain:', args);
}

const entryOf = (command: Command): CommandEntry | undefined => ENTRIES.find(({ name }) => name === command.name());

/** Whether a config file is read: it is checked for all commands. */
const readsConfig = (args: readonly string[]): boolean =>
  existsSync(CONFIG_FILE) || args.some((arg) => arg === '--config' || arg.startsWith('--config='));
