import type { Command } from 'commander';
import type { AskedOptions } from '../recommend/asked.js';
import type { Recommended } from '../recommend/recommended.js';

/** Headings of the list of commands, in its order. */
export const GROUPS = ['Measure:', 'Decide:', 'Operate:', 'Maintain:'] as const;

/** Adds a command's options and its action. */
export type DefineCommand = (command: Command, interruption: AbortSignal) => Command;

/** A command as the program lists it. The rest is loaded when the command is called, so that the program starts quickly. */
export interface CommandEntry {
  name: string;
  /** As the list of commands shows them, such as `<place>`. */
  arguments?: string;
  /** Undefined: an old name, which the list does not show. */
  group?: (typeof GROUPS)[number];
  description: string;
  load: () => Promise<DefineCommand>;
}

/** How a record of a command is read again. */
export interface RecordReader {
  /**
   * Judges the record, rewrites its report and prints the result; the process will end with the exit code of its verdict.
   * @throws UsageError if the record is damaged
   */
  report: (folder: string, json?: boolean) => Promise<void>;
  /**
   * What the record says of values. Reads only.
   * @throws UsageError if it supports none, or a flag does not fit it
   */
  recommend?: (folder: string, asked: AskedOptions) => Promise<Recommended>;
}

/** A feature of the program: its command, and the reader of the record that the command writes. */
export interface Feature {
  command: CommandEntry;
  /** Old names of the command. */
  oldCommands?: CommandEntry[];
  /** Undefined for a command that writes no record; the marker of the record is `<command>.json`. */
  readRecord?: () => Promise<RecordReader>;
}
