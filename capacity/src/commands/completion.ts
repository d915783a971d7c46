import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { profileNames } from '../chart/profiles.js';
import { exitCodes } from '../core/exit-codes.js';
import { PROVISIONERS } from '../provision/choose.js';
import { catalogue } from '../plan/workloads.js';

/** Values of flags, by the flags' names. */
const VALUES: Record<string, () => Iterable<string>> = {
  profile: profileNames,
  provisioner: () => PROVISIONERS,
  workload: () => catalogue().keys(),
};

/**
 * Adds `n8n-capacity completion SHELL`, and the hidden command that the script of a shell asks for suggestions: commands,
 * their flags, and the values of some.
 * @param program with all its commands
 * @param group of the help that the command stands in
 */
export function withCompletion(program: Command, group: string): Command {
  // The library suggests what the help shows, and the help of validate shows only some flags.
  const hidden = program.commands.flatMap(({ options }) => options.filter((option) => option.hidden));
  for (const option of hidden) option.hideHelp(false);
  const { commands } = tab(program, { completionCommandName: NAME });
  for (const option of hidden) option.hideHelp();
  for (const { options } of commands.values())
    for (const [name, values] of Object.entries(VALUES)) {
      const option = options.get(name);
      if (option) option.handler = (suggest) => [...values()].forEach((value) => suggest(value, ''));
    }
  program.commands
    .find((command) => command.name() === NAME)!
    .description('Print a script that completes commands and flags in your shell: bash, zsh, fish or powershell.')
    .helpGroup(group)
    .addHelpText('after', HELP);
  return program;
}

const NAME = 'completion';

const HELP = `
bash needs the package bash-completion.

Examples:
  # bash: now, and in each new shell
  source <(n8n-capacity completion bash)
  mkdir -p ~/.local/share/bash-completion/completions
  n8n-capacity completion bash > ~/.local/share/bash-completion/completions/n8n-capacity

  # zsh: in a folder of $fpath
  mkdir -p ~/.zsh/completions
  n8n-capacity completion zsh > ~/.zsh/completions/_n8n-capacity

  # fish
  mkdir -p ~/.config/fish/completions
  n8n-capacity completion fish > ~/.config/fish/completions/n8n-capacity.fish

${exitCodes({ 0: 'the script was printed' })}`;
