import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Shell script that keeps a list of process groups: `+ 123` on its standard input adds one, `- 123` removes one. When its input
 * closes, it kills the groups on the list. The input closes when this process ends, in whatever way.
 */
const GUARD_SCRIPT = `trap '' INT TERM HUP
groups=' '
while read -r sign group; do
  case "$sign$groups" in
    +*) groups="$groups$group " ;;
    -*" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done`;

/**
 * Registers a command with the guard before the command starts, so that none runs unguarded. This is a subshell because the
 * write fails if the guard has died.
 */
const REGISTER = '(echo "+ $$" >&3) 2>/dev/null; exec 3>&-; ';

let runningGuard: Socket | undefined;

/** The pipe to the guard of this process. Starts the guard on first use, and again if it has ended. */
function ensureGuard(): Socket {
  if (runningGuard && !runningGuard.destroyed) return runningGuard;
  const child = spawn('/bin/sh', ['-c', GUARD_SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  const pipe = child.stdin as Socket;
  // A guard that was killed is replaced with the next command.
  for (const it of [child, pipe]) it.on('error', () => pipe.destroy());
  child.once('exit', () => pipe.destroy());
  child.unref();
  pipe.unref();
  return (runningGuard = pipe);
}

/**
 * Writes the process's id into each file before `--`, then replaces itself with the command after it. Files and command are
 * arguments, so that nothing is interpolated into the script.
 */
const JOIN_AND_RUN = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"';

/** A command for `spawn` or execa, with `detached: true`. */
export interface GuardedCommand {
  file: string;
  args: string[];
  /** The child's file descriptor 3. */
  guard: Socket;
}

/**
 * Wraps a command so that its process group is killed when this process ends, even by SIGKILL or for lack of memory. Call
 * `releaseFromGuard` once the command has ended, because the system may give its id to another process.
 * @param join absolute paths of `cgroup.procs` files; the command joins these control groups before it starts
 */
export const guardCommand = (command: string, args: string[], join: readonly string[] = []): GuardedCommand => ({
  file: '/bin/sh',
  args: ['-c', `${REGISTER}${JOIN_AND_RUN}`, 'sh', ...join, '--', command, ...args],
  guard: ensureGuard(),
});

/** Removes a command from the guard's list, once its whole process group has ended. */
export function releaseFromGuard(pid: number | undefined): void {
  if (pid !== undefined && runningGuard && !runningGuard.destroyed) runningGuard.write(`- ${pid}\n`);
}
