import type { Command } from 'commander';
import { commandNamed, listedCommands } from '../../support/program.js';

const COMMANDS = (await listedCommands()).map((command): [string, Command] => [command.name(), command]);

// Commander ends --help-all with the exit code that another test file may have left in this worker.
beforeEach(() => void (process.exitCode = undefined));

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
  for (const flag of used)
    expect([...known, '--help', '--version', '--config', '--no-config', '--decrypted']).toContain(flag);
});

const codesOf = (name: string) => {
  const [, command] = COMMANDS.find(([known]) => known === name)!;
  return [
    ...helpOf(command)
      .split(/^Exit codes:$/m)[1]!
      .matchAll(/^ {2}(\d+) +(.*)/gm),
  ].map(([, code, text]) => ({ code, text }));
};

test.each(['soak', 'burst'])('%s never ends with CAPACITY', (name) =>
  expect(codesOf(name)[0]).toEqual({ code: '0', text: 'PASS' }),
);

test('payload-limit finds a limit, or nothing: it has no FAIL', () =>
  expect(codesOf('payload-limit').map(({ code }) => code)).toEqual(['0', '2', '3', '130']));

const WITH_WEBHOOK = COMMANDS.filter(([, { options }]) => options.some(({ long }) => long === '--webhook'));

test.each(WITH_WEBHOOK)(
  '%s: --webhook names the command for an n8n that runs where it takes none itself',
  (_, { options }) => {
    const takesOne = options.some(({ long }) => long === '--url');
    const { description } = options.find(({ long }) => long === '--webhook')!;
    expect(description.includes('n8n-capacity validate --provisioner existing')).toBe(!takesOne);
  },
);

const shownBy = (command: Command) =>
  [
    ...helpOf(command)
      .split(/^Examples:$/m)[0]!
      .matchAll(/^ {2}(?:-\w, )?(--[a-z0-9-]+)/gm),
  ].map(([, flag]) => flag);

test('validate --help shows the ten options of the first hour, --help-all each one', async () => {
  const command = (await commandNamed('validate')).exitOverride();
  expect(shownBy(command).filter((flag) => !['--help', '--help-all'].includes(flag!))).toHaveLength(10);
  expect(shownBy(command)).toEqual(expect.arrayContaining(['--target', '--slo', '--dry-run', '--help-all']));
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  await expect(command.parseAsync(['--help-all'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 });
  for (const { long } of command.options) expect(text).toContain(long!);
});
