import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Shell script that reads process groups from its standard input, `+ 123` and `- 123`, and kills those that are left when
 * it closes: when this process has ended, however it died.
 */
const GUARD = `trap '' INT TERM HUP
groups=' '
while read -r sign group; do
  case "$sign$groups" in
    +*) groups="$groups$group " ;;
    -*" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done`;

/** The command announces itself before it begins: nothing runs that the guard does not know. A subshell, as the guard may be gone. */
const ANNOUNCE = '(echo "+ $$" >&3) 2>/dev/null; exec 3>&-; ';

let standing: Socket | undefined;

/** The pipe to the guard of this process, which is started when it is first needed, or has ended. */
function guard(): Socket {
  if (standing && !standing.destroyed) return standing;
  const child = spawn('/bin/sh', ['-c', GUARD], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  const pipe = child.stdin as Socket;
  // A guard that was killed is replaced with the next command.
  for (const it of [child, pipe]) it.on('error', () => pipe.destroy());
  child.once('exit', () => pipe.destroy());
  child.unref();
  pipe.unref();
  return (standing = pipe);
}

/** Writes the process's id into the files before `--`, then becomes the command after it: nothing is put into the script. */
const JOIN_AND_RUN = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"';

/** A command for `spawn` or execa, with `detached: true`. */
export interface Guarded {
  file: string;
  args: string[];
  /** The child's file descriptor 3. */
  guard: Socket;
}

/**
 * A command whose process group is killed when this process ends, also by SIGKILL or for lack of memory. Once it has ended,
 * `endedInOrder` must be called, as its id may then become another's.
 * @param join absolute paths of `cgroup.procs`: it comes under the limits of these groups before it begins
 */
export const guarded = (command: string, args: string[], join: readonly string[] = []): Guarded => ({
  file: '/bin/sh',
  args: ['-c', `${ANNOUNCE}${JOIN_AND_RUN}`, 'sh', ...join, '--', command, ...args],
  guard: guard(),
});

/** Tells the guard that a command, and what it left in its process group, has ended. */
export function endedInOrder(pid: number | undefined): void {
  if (pid !== undefined && standing && !standing.destroyed) standing.write(`- ${pid}\n`);
}
