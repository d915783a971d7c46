import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseFromGuard, guardCommand } from '../../../capacity/src/core/guard.js';
import { waitUntil } from '../../../capacity/src/core/wait-until.js';

const folder = mkdtempSync(join(tmpdir(), 'guard-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** A script that writes its process id into a file atomically. */
function writeScript(name: string, before: string): void {
  const text = `#!/bin/sh\n${before}\necho $$ >"$1.part"; mv "$1.part" "$1"\nwhile :; do sleep 1; done\n`;
  writeFileSync(join(folder, name), text, { mode: 0o755 });
}
writeScript('endless', '[ -n "$2" ] && "$0" "$2" &');
// k6 writes its samples before it ends; this one does not end.
writeScript('k6', '[ "$1" = version ] && exec echo k6 v2.2.0; trap "" INT; set -- load');

test('after SIGKILL of this process, the guard kills running commands but not groups that ended before', async () => {
  const stub = join(import.meta.dirname, 'stub-guard.mjs');
  const child = spawn(process.execPath, [stub, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const { ended, ...started } = JSON.parse(String(printed)) as Record<string, number>;
  try {
    expect(Object.values(started).map(isRunning)).toEqual([true, true, true, true]);
    child.kill('SIGKILL');
    await waitUntil(() => !Object.values(started).some(isRunning), { seconds: 20, everyMs: 20 });
    expect(Object.entries(started).filter(([, pid]) => isRunning(pid))).toEqual([]);
    // Its id may be that of another process by now.
    expect(isRunning(ended!)).toBe(true);
  } finally {
    for (const pid of [ended!, ...Object.values(started)].filter(isRunning)) process.kill(pid, 'SIGKILL');
  }
});

test('the shell interprets no path or argument, and a command joins its control groups before it starts', async () => {
  const planted = join(folder, 'planted');
  const procs = join(folder, `it's "$(touch ${'planted'})"; touch planted; '`);
  const argument = `'; touch ${planted}; $(touch ${planted})`;
  const { file, args, guard } = guardCommand(
    process.execPath,
    ['-p', 'process.argv[1] + process.pid', '--', argument],
    [procs],
  );
  const child = spawn(file, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'inherit', guard] });
  const [printed] = (await once(child.stdout!, 'data')) as [Buffer];
  await once(child, 'exit');
  releaseFromGuard(child.pid);
  const id = readFileSync(procs, 'utf8').trim();
  expect({ printed: String(printed).trim(), id }).toEqual({
    printed: `${argument}${child.pid}`,
    id: String(child.pid),
  });
  expect(existsSync(planted)).toBe(false);
});

test('a command does not start if it cannot join its control groups', async () => {
  const { file, args, guard } = guardCommand('/bin/sh', ['-c', 'touch began'], [join(folder, 'none', 'cgroup.procs')]);
  const child = spawn(file, args, { cwd: folder, detached: true, stdio: ['ignore', 'ignore', 'ignore', guard] });
  const [code] = (await once(child, 'exit')) as [number];
  releaseFromGuard(child.pid);
  expect(code).not.toBe(0);
  expect(existsSync(join(folder, 'began'))).toBe(false);
});

/** A killed orphan stays a zombie if pid 1 does not reap it. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
