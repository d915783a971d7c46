import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const folder = mkdtempSync(join(tmpdir(), 'interruption-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);
beforeEach(() => ['started', 'ended'].forEach((name) => rmSync(file(name), { force: true })));

type Child = ReturnType<typeof start>;

const start = (how: string, ...more: string[]) =>
  spawn(process.execPath, [join(import.meta.dirname, 'stub-program.mjs'), folder, how, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Runs the command, does `interfere` once it has started, and tells how it ended. */
async function run(how: string, interfere: (child: Child) => void | Promise<void> = () => {}, ...more: string[]) {
  const child = start(how, ...more);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
  child.stderr.resume();
  while (!existsSync(file('started')) && child.exitCode === null) await sleep(10);
  await interfere(child);
  const [code, signal] = await ended;
  return { code, signal, tornDown: existsSync(file('ended')), stdout };
}

const signals =
  (...list: NodeJS.Signals[]) =>
  async (child: Child) => {
    for (const signal of list) {
      child.kill(signal);
      await sleep(50);
    }
  };
const close = ({ stdout, stderr }: Child) => {
  stdout.destroy();
  stderr.destroy();
};

test('the reader of its output is gone: the work goes on to its end', async () =>
  expect(await run('runs', close)).toMatchObject({ code: 0, tornDown: true }));

test('a terminal that is closed: its output fails and SIGHUP comes twice, and everything is torn down', async () => {
  const hangUp = async (child: Child) => {
    close(child);
    await signals('SIGHUP', 'SIGHUP')(child);
  };
  expect(await run('runs', hangUp)).toMatchObject({ code: 130, tornDown: true });
});

test.each([
  ['SIGHUP, then SIGTERM', ['SIGHUP', 'SIGTERM'], true],
  ['SIGINT, then SIGTERM', ['SIGINT', 'SIGTERM'], true],
  ['SIGTERM alone', ['SIGTERM'], true],
  ['SIGINT twice', ['SIGINT', 'SIGINT'], false],
  ['SIGTERM twice', ['SIGTERM', 'SIGTERM'], false],
] as const)('%s: the teardown is finished: %p', async (_, list, tornDown) =>
  expect(await run('runs', signals(...list))).toMatchObject({ code: 130, tornDown, stdout: '' }),
);

test.each(['throws', 'rejects'])('code that %s where nothing catches it: torn down, exit code 3', async (how) =>
  expect(await run(how)).toMatchObject({ code: 3, tornDown: true, stdout: '' }),
);

test('a teardown that hangs has a deadline', async () => {
  const { code, tornDown } = await run('hangs', signals('SIGTERM'), '300');
  expect({ code, tornDown }).toEqual({ code: 130, tornDown: false });
});
