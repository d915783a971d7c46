import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../../../capacity/src/core/processes.js';
import { waitUntil } from '../../../../capacity/src/core/wait-until.js';
import { flameOf } from '../../../../capacity/src/observe/cpu-profile.js';
import { INSPECTABLE, startProfile } from '../../../../capacity/src/provision/process/inspector.js';

const folder = mkdtempSync(join(tmpdir(), 'inspector-'));
const log = join(folder, 'log');
const started: ChildProcess[] = [];

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A Node process as the tool starts n8n, which spends half of its time in `burn`. */
async function busy(...args: string[]): Promise<number> {
  const script = `
    function burn() { for (const end = Date.now() + 10; Date.now() < end;); }
    console.log('started');
    setInterval(burn, 20);`;
  const out = openSync(log, 'a');
  const child = spawn(process.execPath, [...args, '-e', script], { stdio: ['ignore', out, out] });
  closeSync(out);
  started.push(child);
  await waitUntil(() => readFileSync(log, 'utf8').includes('started'), { seconds: 10 });
  return child.pid!;
}

const listening = (pid: number) => readFileSync(`/proc/${pid}/net/tcp`, 'utf8');

test('a profile of a running process says where its time went; the inspector listens only meanwhile', async () => {
  const pid = await busy(...INSPECTABLE);
  expect(readFileSync(log, 'utf8')).not.toContain('Debugger listening');
  const before = listening(pid);
  let found = 0;
  // A busy machine may not let the process run while it is watched (seen).
  for (let times = 0; times < 6 && found < 2; times++) {
    const running = await startProfile(pid, log);
    const [, port] = [...readFileSync(log, 'utf8').matchAll(/ws:\/\/127\.0\.0\.1:(\d+)/g)].at(-1)!;
    const hex = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
    expect(listening(pid)).toContain(hex);
    expect(before).not.toContain(hex);
    await sleep(1500);
    const { functions, frames, idle } = flameOf(await running.stop());
    expect(functions.length).toBeGreaterThan(0);
    if (frames.some((f) => f.name === 'burn' && f.depth > 0) && idle > 0) found++;
    expect(await waitUntil(() => !listening(pid).includes(`${hex} 00000000:0000 0A`), { seconds: 5 })).toBe(true);
  }
  expect(found).toBe(2);
}, 60_000);

test('a process that has ended cannot be profiled', async () => {
  const pid = await busy();
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => !isAlive(pid), { seconds: 5 });
  await expect(startProfile(pid, log)).rejects.toThrow('ESRCH');
});
