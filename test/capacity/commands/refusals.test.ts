import { UsageError } from '../../../capacity/src/core/errors.js';
import { join } from 'node:path';
import { soakCommand } from '../../../capacity/src/commands/soak.js';
import { sweepCommand } from '../../../capacity/src/commands/sweep.js';
import { repository } from '../../../capacity/src/core/paths.js';

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
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).message).toMatch(
    /a sweep changes the configuration.*"n8n-capacity validate --provisioner existing --url …".*compare A B/,
  );
});

test('elsewhere its flags are unknown, as any other', async () => {
  await expect(run('plan.yaml', '--provisioner', 'kubernetes', ...URL)).rejects.toThrow(/unknown option '--url'/);
});

const soak = (...args: string[]) =>
  soakCommand(new AbortController().signal)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(args, { from: 'user' });
const LOAD = ['--rate', '10/s', '--duration', '1m'];

test('nor can it be soaked', async () => {
  await expect(soak('--provisioner', 'existing', ...URL)).rejects.toThrow(/a soak drives what it deploys/);
});

test('a soak drives one workload', async () => {
  await expect(soak(...LOAD, '--workload', 'cpu-burn', '--workload', 'webhook-ack')).rejects.toThrow(
    /--workload webhook-ack: cpu-burn was given already, and there can be one; use --mix for several/,
  );
});

test('a folder that holds a run is refused before anything is measured', async () => {
  await expect(soak(...LOAD, '-o', join(repository, 'docs/example-run'))).rejects.toThrow(
    /example-run: holds a run already; give another folder/,
  );
});
