import type { Command } from 'commander';
import { createProgram } from '../../capacity/src/program.js';

/** A command of n8n-capacity, with its options. */
export async function commandNamed(name: string, signal = new AbortController().signal): Promise<Command> {
  const { commands } = await createProgram(signal, [name]);
  return commands.find((command) => command.name() === name)!;
}

/** All commands of n8n-capacity that its help lists. */
export async function listedCommands(): Promise<Command[]> {
  const program = await createProgram(new AbortController().signal);
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help');
}
