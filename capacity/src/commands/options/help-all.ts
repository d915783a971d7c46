import { Option, type Command } from 'commander';

/**
 * Shows only some options in `--help`; `--help-all` shows all.
 * @param first long names of the options that `--help` shows
 */
export function withHelpAll(command: Command, first: readonly string[]): Command {
  const others = command.options.filter(({ long }) => !first.includes(long!));
  const hide = (hidden: boolean) => others.forEach((option) => option.hideHelp(hidden));
  hide(true);
  const more = () =>
    others.some(({ hidden }) => hidden) ? '\nThese are the first options; --help-all shows the others.' : '';
  return command
    .addHelpText('after', more)
    .addOption(new Option('--help-all', `show all ${command.options.length} options`).helpGroup('Options:'))
    .on('option:help-all', () => {
      hide(false);
      command.help();
    });
}
