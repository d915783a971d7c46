import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { exitCodesHelp } from '../core/exit-codes.js';

/** Values of flags, by the flags' names; loaded when a shell asks for them. */
const VALUES: Record<string, () => Promise<Iterable<string>>> = {
  profile: async () => (await import('../chart/profiles.js')).profileNames(),
  provisioner: async () => (await import('../provision/choose.js')).PROVISIONERS,
  workload: async () => (await import('../plan/workloads.js')).catalogue().keys(),
};

/** The hidden command that the script of a shell asks for suggestions. */
const ASK = 'complete';

/**
 * Adds `n8n-capacity completion SHELL`, and the hidden command that suggests commands, their flags, and the values of some.
 * @param program with all its commands
 * @param group of the help that the command stands in
 * @param args of the command line; undefined: all values are loaded
 */
export async function withCompletion(program: Command, group: string, args?: readonly string[]): Promise<Command> {
  // The library suggests what the help shows, and the help shows only some flags of a command with many.
  const hidden = program.commands.flatMap(({ options }) => options.filter((option) => option.hidden));
  for (const option of hidden) option.hideHelp(false);
  const { commands } = tab(program, { completionCommandName: NAME });
  for (const option of hidden) option.hideHelp();
  if (args === undefined || args[0] === ASK)
    for (const [name, load] of Object.entries(VALUES)) {
      const options = [...commands.values()].flatMap(({ options }) => options.get(name) ?? []);
      const values = options.length > 0 ? [...(await load())] : [];
      for (const option of options) option.handler = (suggest) => values.forEach((value) => suggest(value, ''));
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

${exitCodesHelp({ 0: 'the script was printed' })}`;
