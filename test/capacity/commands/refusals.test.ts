import { join } from 'node:path';
import { commandNamed } from '../../support/program.js';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { repositoryFolder } from '../../../capacity/src/core/paths.js';

/** The error that a command ends with. */
const errorOf = async (name: string, ...args: string[]): Promise<Error> =>
  (await commandNamed(name))
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(args, { from: 'user' })
    .then(
      () => Promise.reject(new Error('the command succeeded')),
      (error: Error) => error,
    );

const URL = ['--url', 'https://n8n.example.org'];
const LOAD = ['--rate', '10/s', '--duration', '1m'];

test.each([
  [['plan.yaml', '--provisioner', 'existing']],
  [['plan.yaml', '--provisioner', 'existing', ...URL]],
  [['plan.yaml', ...URL, '--max-rate', '5/s', '--provisioner=existing']],
])('an existing n8n cannot be swept: %j', async (args) => {
  const error = await errorOf('sweep', ...args);
  expect(error).toBeInstanceOf(UsageError);
  for (const part of ['--provisioner existing', 'n8n-capacity validate', 'n8n-capacity compare'])
    expect(error.message).toContain(part);
});

test('nor soaked', async () => {
  const error = await errorOf('soak', '--provisioner', 'existing', ...URL);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toContain('n8n-capacity validate');
});

test('the options of an existing n8n are unknown elsewhere', async () => {
  expect(await errorOf('sweep', 'plan.yaml', '--provisioner', 'kubernetes', ...URL)).toMatchObject({
    code: 'commander.unknownOption',
  });
});

test('a second workload is refused, and not dropped', async () => {
  const error = await errorOf('soak', ...LOAD, '--workload', 'cpu-burn', '--workload', 'webhook-ack');
  expect(error).toBeInstanceOf(UsageError);
  for (const part of ['cpu-burn', 'webhook-ack', '--mix']) expect(error.message).toContain(part);
});

test('a folder that holds a run is refused before anything is measured', async () => {
  const error = await errorOf('soak', ...LOAD, '-o', join(repositoryFolder, 'docs/example-run'));
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toContain('docs/example-run');
});

test('clean names its three uses', async () => {
  const error = await errorOf('clean');
  expect(error).toBeInstanceOf(UsageError);
  for (const part of ['--url', '--provisioner kubernetes', '--runtimes']) expect(error.message).toContain(part);
});
