import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../capacity/src/core/processes.js';
import { runWithTimeout } from '../../../capacity/src/core/run-within.js';
import { waitUntil } from '../../../capacity/src/core/wait-until.js';

const folder = mkdtempSync(join(tmpdir(), 'run-within-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('runWithTimeout passes the input and returns stdout byte for byte', async () => {
  const { stdout, failure } = await runWithTimeout('sh', ['-c', 'cat; printf "\\377\\n"'], {
    input: 'a\n',
    timeoutMs: 10_000,
  });
  expect({ stdout: [...stdout], failure }).toEqual({ stdout: [0x61, 0x0a, 0xff, 0x0a], failure: undefined });
});

test.each([
  ['what it wrote to stderr', ['sh', ['-c', 'echo no >&2; exit 1']], /^no$/],
  ['how it ended', ['sh', ['-c', 'exit 3']], /exit code 3/],
  ['that it is missing', ['/nowhere', []], /ENOENT/],
] as const)('the failure of a command is %s', async (_, [file, args], said) =>
  expect((await runWithTimeout(file, [...args], { timeoutMs: 10_000 })).failure).toMatch(said),
);

test('a child that ignores SIGTERM and keeps the output open does not block runWithTimeout', async () => {
  const pid = join(folder, 'pid');
  const script = `(trap '' TERM; sleep 600 & echo $! >${pid}.part; mv ${pid}.part ${pid}; wait; sleep 600) & wait`;
  const { failure } = await runWithTimeout('sh', ['-c', script], { timeoutMs: 1000 });
  expect(failure).toBe('did not end within 1 s');
  const left = Number(readFileSync(pid, 'utf8'));
  await waitUntil(() => !isAlive(left) || isZombie(left), { seconds: 10 });
  expect(!isAlive(left) || isZombie(left)).toBe(true);
});

const isZombie = (pid: number) => /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

test('Ctrl-C kills the command', async () => {
  const interruption = new AbortController();
  const run = runWithTimeout('sleep', ['600'], { timeoutMs: 600_000, signal: interruption.signal });
  interruption.abort();
  expect((await run).failure).toContain('SIGKILL');
});
