import type { Command } from 'commander';
import { arrivalsCommand } from '../../../capacity/src/commands/arrivals.js';
import { burstCommand } from '../../../capacity/src/commands/burst.js';
import { cleanCommand } from '../../../capacity/src/commands/clean.js';
import { compareCommand } from '../../../capacity/src/commands/compare.js';
import { confirmCommand } from '../../../capacity/src/commands/confirm.js';
import { doctorCommand } from '../../../capacity/src/commands/doctor.js';
import { faultsCommand } from '../../../capacity/src/commands/faults.js';
import { forecastCommand } from '../../../capacity/src/commands/forecast.js';
import { payloadLimitCommand } from '../../../capacity/src/commands/payload-limit.js';
import { pm2Command } from '../../../capacity/src/commands/pm2.js';
import { recommendCommand } from '../../../capacity/src/commands/recommend.js';
import { reportCommand } from '../../../capacity/src/commands/report.js';
import { setupCommand } from '../../../capacity/src/commands/setup.js';
import { soakCommand } from '../../../capacity/src/commands/soak.js';
import { sweepCommand } from '../../../capacity/src/commands/sweep.js';
import { uploadCommand } from '../../../capacity/src/commands/upload.js';
import { validateCommand } from '../../../capacity/src/commands/validate.js';

const { signal } = new AbortController();
const COMMANDS = [
  arrivalsCommand(),
  burstCommand(signal),
  cleanCommand(),
  compareCommand(signal),
  confirmCommand(signal),
  doctorCommand(),
  faultsCommand(signal),
  forecastCommand(signal),
  payloadLimitCommand(signal),
  pm2Command(signal),
  recommendCommand(signal),
  reportCommand(),
  setupCommand(signal),
  soakCommand(signal),
  sweepCommand(signal),
  uploadCommand(),
  validateCommand(signal),
].map((command): [string, Command] => [command.name(), command]);

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

test.each(COMMANDS)('%s: its help has a description, examples of it and its exit codes', (name, command) => {
  const help = helpOf(command);
  expect(command.description()).not.toBe('');
  for (const { description } of command.options) expect(description).not.toBe('');
  const [, examples = '', codes = ''] = help.split(/^(?:Examples|Exit codes):$/m);
  expect(examples).toContain(`n8n-capacity ${name}`);
  expect([...codes.matchAll(/^ {2}(\d+)/gm)].map(([, code]) => code)).toEqual(
    expect.arrayContaining(['0', '3', '130']),
  );
});

test.each(COMMANDS)('%s: its examples use options that exist', (_, command) => {
  const known = COMMANDS.flatMap(([, { options }]) => options.flatMap(({ long }) => long ?? []));
  const used = [...helpOf(command).matchAll(/(?<=\s)--[a-z0-9-]+/g)].map(([flag]) => flag);
  for (const flag of used) expect([...known, '--help', '--decrypted']).toContain(flag);
});

const shownBy = (command: Command) =>
  [
    ...helpOf(command)
      .split(/^Examples:$/m)[0]!
      .matchAll(/^ {2}(?:-\w, )?(--[a-z0-9-]+)/gm),
  ].map(([, flag]) => flag);

test('validate --help shows the ten options of the first hour, --help-all each one', async () => {
  const command = validateCommand(signal).exitOverride();
  expect(shownBy(command).filter((flag) => !['--help', '--help-all'].includes(flag!))).toHaveLength(10);
  expect(shownBy(command)).toEqual(expect.arrayContaining(['--target', '--slo', '--dry-run', '--help-all']));
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  await expect(command.parseAsync(['--help-all'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 });
  for (const { long } of command.options) expect(text).toContain(long!);
});
