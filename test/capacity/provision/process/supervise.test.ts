import { EventLog } from '../../../../capacity/src/model/deployment.js';
import { waitUntil } from '../../../../capacity/src/core/wait-until.js';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deathReason, restartDelaySeconds, Supervised } from '../../../../capacity/src/provision/process/supervise.js';

const HEAP = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';

test.each([
  ['killed while the kernel counted an OOM kill', null, 'SIGKILL', true, '', 'OOMKilled'],
  ['killed by somebody', null, 'SIGKILL', false, '', 'Crash'],
  ['aborted at the heap limit', null, 'SIGABRT', false, HEAP, 'V8HeapLimit'],
  ['aborted at the heap limit, seen as an exit code', 134, null, false, HEAP, 'V8HeapLimit'],
  ['aborted for another reason', null, 'SIGABRT', false, 'Assertion failed', 'Crash'],
  ['ended by itself', 1, null, false, '', 'Crash'],
])('%s', (_, code, signal, oom, tail, reason) => expect(deathReason(code, signal, oom, tail)).toBe(reason));

test("the kubelet's back-off: at once, then 10 s doubling up to 5 min", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 9].map(restartDelaySeconds)).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

function supervise(script: string, forgivingSeconds?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'supervise-'));
  const events = new EventLog();
  const launch = {
    name: 'pod-0',
    component: 'main' as const,
    command: '/bin/sh',
    args: ['-c', script],
    environment: { PATH: process.env.PATH! },
    cwd: folder,
    logFile: join(folder, 'log'),
    graceSeconds: 1,
  };
  return {
    supervised: new Supervised(launch, events, forgivingSeconds),
    events,
    log: () => readFileSync(launch.logFile, 'utf8'),
  };
}

/** Jest's own timeout ends a wait that never does. */
const until = (done: () => boolean) => waitUntil(done, { seconds: Infinity, everyMs: 20 });

test('starts again at once what has ended, and says so', async () => {
  const { supervised, events, log } = supervise('echo once; exit 3');
  supervised.start();
  await until(() => events.all.filter((e) => e.kind === 'died').length === 2);
  await supervised.stop(1);
  expect(events.all[0]).toMatchObject({ kind: 'died', reason: 'Crash', detail: 'exit code 3' });
  expect(events.all[1]).toMatchObject({ kind: 'restarted' });
  expect(log()).toBe('once\nonce\n');
});

test('what has run for long is started again at once, however often', async () => {
  const { supervised, events } = supervise('sleep 0.1; exit 3', 0.05);
  supervised.start();
  await until(() => events.all.filter((e) => e.kind === 'restarted').length === 3);
  await supervised.stop(1);
  const restarts = events.all.filter((e) => e.kind === 'restarted');
  expect(restarts.map(({ detail }) => detail)).toEqual(Array(3).fill('restart 1, after 0 s'));
});

test('ends what ignores SIGTERM, and the children it has left', async () => {
  const { supervised, events, log } = supervise('trap "" TERM; sleep 60 & echo $!; wait; sleep 60');
  supervised.start();
  await until(() => log().includes('\n'));
  const child = Number(log());
  await supervised.stop(0.2);
  expect(supervised.pid).toBeUndefined();
  await until(() => !alive(child));
  expect(events.all).toEqual([]);
});

function alive(pid: number): boolean {
  try {
    // A killed child of nobody stays a zombie where pid 1 does not reap it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('taken down', () => {
  const POLITE = `trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done`;

  test('it ends in its grace period, stays down, and is started again when it is put back', async () => {
    const { supervised, events, log } = supervise(POLITE);
    supervised.start();
    await until(() => log() === 'up\n');
    expect(await supervised.takeDown()).toBe(true);
    supervised.startAfresh();
    expect({ pid: supervised.pid, events: events.all }).toEqual({ pid: undefined, events: [] });
    supervised.putBack();
    await until(() => log() === 'up\nup\n');
    expect(supervised.starts).toBe(2);
    await supervised.stop(1);
  });

  test('what does not end in its grace period is killed, and not called clean', async () => {
    const { supervised, log } = supervise(`trap '' TERM; echo up; while :; do sleep 0.05; done`);
    supervised.start();
    await until(() => log() === 'up\n');
    expect(await supervised.takeDown()).toBe(false);
    expect(supervised.pid).toBeUndefined();
    await supervised.stop(1);
  });

  test('what was stopped for good does not come back', async () => {
    const { supervised, log } = supervise(POLITE);
    supervised.start();
    await until(() => log() === 'up\n');
    await supervised.takeDown();
    await supervised.stop(1);
    supervised.putBack();
    expect(supervised.pid).toBeUndefined();
  });
});
