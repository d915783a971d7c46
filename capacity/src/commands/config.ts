import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { ConfigOrigin } from '../model/plan.js';
import { CONFIG_FILE, readConfig, settable, type ConfiguredFlag } from './config-file.js';

/**
 * Adds `--config` and `--no-config` to a program: a file that holds defaults for the flags of its commands. They are set
 * with commander's source `config`: the command line wins. An action finds the file and the flags that it gave as
 * `configOrigin` among its options.
 */
export function withConfig(program: Command): Command {
  return program
    .option(
      '--config <file>',
      `file of defaults for flags (default: ${CONFIG_FILE} in the working folder, if it is there)`,
    )
    .option('--no-config', 'read no such file')
    .hook('preSubcommand', (_, command) => {
      const file = settable(command).length > 0 ? findConfigFile(program) : undefined;
      if (file === undefined) return;
      for (const flag of readConfig(file, program.commands, command.name())) apply(flag, command);
    })
    .hook('preAction', (_, command) => {
      const file = findConfigFile(program);
      const flags = command.options
        .filter((option) => command.getOptionValueSource(option.attributeName()) === 'config')
        .map((option) => option.name());
      if (file === undefined || flags.length === 0) return;
      const origin: ConfigOrigin = { file, flags };
      command.setOptionValueWithSource('configOrigin', origin, 'config');
      if (command.getOptionValue('quiet') !== true)
        process.stderr.write(`using ${file} for ${flags.map((name) => `--${name}`).join(', ')}\n`);
    });
}

const HELP = ['-h', '--help', '--help-all'];

/** The file to read; none where help is asked for, which a mistake in the file should not prevent. */
function findConfigFile(program: Command): string | undefined {
  const { config } = program.opts<{ config?: string | false }>();
  if (config === false || program.args.some((arg) => HELP.includes(arg))) return undefined;
  return config ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : undefined);
}

/** Sets a flag as commander does on the command line, refusals included, but with another source. */
function apply({ option, texts }: ConfiguredFlag, command: Command): void {
  // Its types show only `on` of what it is.
  const events = command as unknown as EventEmitter;
  const event = `option:${option.name()}`;
  const key = option.attributeName();
  for (const text of texts) events.emit(event, text);
  command.setOptionValueWithSource(key, command.getOptionValue(key), 'config');
  // A list on the command line replaces that of the file, as a single value does.
  events.prependOnceListener(event, () => command.setOptionValueWithSource(key, option.defaultValue, 'default'));
}
