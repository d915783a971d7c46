import { soakCommand } from '../../../capacity/src/commands/soak.js';
import { sweepCommand } from '../../../capacity/src/commands/sweep.js';
import { InputError } from '../../../capacity/src/errors.js';

const run = (...args: string[]) =>
  sweepCommand(new AbortController().signal)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(args, { from: 'user' });

const URL = ['--url', 'https://n8n.example.org'];
test.each([
  [['plan.yaml', '--provisioner', 'existing']],
  [['plan.yaml', '--provisioner', 'existing', ...URL]],
  [['plan.yaml', ...URL, '--max-rate', '5/s', '--provisioner=existing']],
])('an n8n that is there already cannot be swept: %j', async (args) => {
  const error = await run(...args).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  expect((error as InputError).message).toMatch(
    /a sweep changes the configuration.*"n8n-capacity validate --provisioner existing --url …".*compare A B/,
  );
});

test('elsewhere its flags are unknown, as any other', async () => {
  await expect(run('plan.yaml', '--provisioner', 'kubernetes', ...URL)).rejects.toThrow(/unknown option '--url'/);
});

test('nor can it be soaked', async () => {
  const command = soakCommand(new AbortController().signal)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  await expect(command.parseAsync(['--provisioner', 'existing', ...URL], { from: 'user' })).rejects.toThrow(
    /a soak drives what it deploys/,
  );
});
