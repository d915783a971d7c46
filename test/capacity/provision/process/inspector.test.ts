import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../../../capacity/src/core/processes.js';
import { waitUntil } from '../../../../capacity/src/core/wait-until.js';
import { buildFlameGraph } from '../../../../capacity/src/observe/cpu-profile.js';
import { INSPECTABLE, startProfile } from '../../../../capacity/src/provision/process/inspector.js';

const folder = mkdtempSync(join(tmpdir(), 'inspector-'));
const log = join(folder, 'log');
const started: { child: ChildProcess; ended: Promise<unknown> }[] = [];

afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  rmSync(folder, { recursive: true });
});

/** A Node process as the tool starts n8n: it works, then sleeps at least as long as its timer says, however busy the machine is. */
async function busy(...args: string[]): Promise<number> {
  const script = `
    let sum = 0;
    function burn() { for (let i = 0; i < 1e7; i++) sum += Math.sqrt(i); setTimeout(burn, 20); }
    console.log('started');
    burn();`;
  const out = openSync(log, 'a');
  const child = spawn(process.execPath, [...args, '-e', script], { stdio: ['ignore', out, out] });
  closeSync(out);
  started.push({ child, ended: once(child, 'exit') });
  await waitUntil(() => readFileSync(log, 'utf8').includes('started'), { seconds: 10 });
  return child.pid!;
}

const listening = (pid: number) => readFileSync(`/proc/${pid}/net/tcp`, 'utf8');

test('a profile of a running process says where its time went; the inspector listens only meanwhile', async () => {
  const pid = await busy(...INSPECTABLE);
  expect(readFileSync(log, 'utf8')).not.toContain('Debugger listening');
  const before = listening(pid);
  // The second profile shows that the inspector can be started again.
  for (let times = 0; times < 2; times++) {
    const running = await startProfile(pid, log);
    const [, port] = [...readFileSync(log, 'utf8').matchAll(/ws:\/\/127\.0\.0\.1:(\d+)/g)].at(-1)!;
    const hex = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
    expect(listening(pid)).toContain(hex);
    expect(before).not.toContain(hex);
    await sleep(1500);
    const { frames, idle } = buildFlameGraph(await running.stop());
    expect(frames.filter((f) => f.depth > 0).map((f) => f.name)).toContain('burn');
    expect(idle).toBeGreaterThan(0);
    expect(await waitUntil(() => !listening(pid).includes(`${hex} 00000000:0000 0A`), { seconds: 5 })).toBe(true);
  }
}, 60_000);

test('a process that has ended cannot be profiled', async () => {
  const pid = await busy();
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => !isAlive(pid), { seconds: 5 });
  await expect(startProfile(pid, log)).rejects.toThrow('ESRCH');
});
