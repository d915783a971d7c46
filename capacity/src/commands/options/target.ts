import type { Command } from 'commander';

/**
 * Adds the options for a target: a rate, or executions a day.
 * @param target description of `--target`
 */
export const withTarget = (command: Command, target: string): Command =>
  command
    .option('--target <rate>', target)
    .option('--per-day <n>', 'the same as executions a day, such as 200k or 1.5M')
    .option(
      '--peak <factor>',
      'with --per-day: rate of the busiest hour over the mean rate, such as 4x (default: 1x, as many in each hour)',
    );
