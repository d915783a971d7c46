import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RunRecord } from '../../capacity/src/model/run.js';
import type { Sample } from '../../capacity/src/model/sample.js';
import type { RunConclusion, RunVerdict } from '../../capacity/src/model/verdict.js';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { chartFolder, repository } from '../../capacity/src/core/paths.js';
import { descendants, readProcesses } from '../../capacity/src/observe/proc.js';
import { isLeftOver } from '../../capacity/src/provision/leftovers.js';

export const BIN = join(repository, 'capacity', 'bin', 'n8n-capacity.js');

/** Objectives that only a broken deployment misses: these tests ask whether it works, not how fast this machine is. */
export const LENIENT = ['--slo', 'p95=20s,p99=30s,errors=1%'];

/** A step as short as one can be that still says something. */
export const SHORT = ['--step-duration', '6s', '--warmup', '2s'];

/** A rate that any machine sustains, however busy, with as many requests as a verdict needs. */
export const SLOW = ['--rates', '2/s', '--step-duration', '12s', '--warmup', '2s'];

/** Arguments that deploy a profile of the chart. */
export const profile = (name: string): string[] => ['-f', join(chartFolder, 'profiles', `${name}.yaml`)];

/** Starts `n8n-capacity validate` with its records in a folder of its own. */
export function startValidate(...args: string[]) {
  const folder = join(mkdtempSync(join(tmpdir(), 'validate-')), 'run');
  const child = execa(process.execPath, [BIN, 'validate', '-o', folder, ...args], { reject: false, stdin: 'ignore' });
  return { child, folder };
}

/** A run that was started, and the folder of its record. */
type Started = ReturnType<typeof startValidate>;

/**
 * Resolves when the run has written such a file, as `logs/import.log` when it imports and `steps/00-webhook-ack.csv.gz` when
 * its first step is under load; rejects when it ends before.
 */
export async function wrote({ child, folder }: Started, file: string): Promise<void> {
  while (!existsSync(join(folder, file))) {
    if (child.exitCode !== null) throw new Error(`ended before it wrote ${file}:\n${(await child).stderr}`);
    await sleep(50);
  }
}

/** Kills the processes that the run has started whose command line matches. Throws when there are none. */
export async function killStarted({ pid }: { pid?: number }, pattern: RegExp): Promise<void> {
  const found = descendants(await readProcesses(), pid!).filter((p) => pattern.test(commandLine(String(p))));
  if (found.length === 0) throw new Error(`nothing that it has started matches ${pattern}`);
  for (const each of found) process.kill(each, 'SIGKILL');
}

/** Checks around each test of a file that nothing of it is left on the machine. */
export function expectNothingLeft(): void {
  let before: string[];
  beforeEach(() => void (before = leftovers()));
  afterEach(() => expect(leftovers().filter((left) => !before.includes(left))).toEqual([]));
}

/** `n8n-capacity` with these arguments, to its end. */
export const cli = (...args: string[]) => execa(process.execPath, [BIN, ...args], { reject: false, stdin: 'ignore' });

/** Codes of the reasons of the first step of the first load. */
export const codes = ({ loads }: RunVerdict): string[] => loads[0]!.steps[0]!.judged.reasons.map(({ code }) => code);

/** A validation that has ended: exit code, output, and what it recorded. */
export async function runValidate(...args: string[]) {
  const { child, folder } = startValidate('--json', ...args);
  const { exitCode, stdout, stderr } = await child;
  if (stdout === '') throw new Error(`n8n-capacity printed no result (exit code ${exitCode}):\n${stderr}`);
  return {
    exitCode,
    stderr,
    folder,
    conclusion: JSON.parse(stdout) as RunConclusion,
    run: JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunRecord,
    steps: lines<StepRecord>(join(folder, 'steps.ndjson')),
    samples: lines<Sample>(join(folder, 'samples.ndjson')),
  };
}

export const lines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/**
 * Whatever runs of this tool have left on the machine: processes, folders, control groups. What belongs to a tool or test
 * that still runs is not left over.
 */
export function leftovers(): string[] {
  const processes = processIds()
    .filter((pid) => OF_A_RUN.test(commandLine(pid)) && !isAttended(pid))
    .map((pid) => commandLine(pid));
  const folders = readdirSync(tmpdir()).filter((name) => /^n8n-tuned-\d+-[A-Za-z0-9]{6}$/.test(name));
  const groups = ['/sys/fs/cgroup/memory/n8n-tuned', '/sys/fs/cgroup/n8n-tuned'].filter(existsSync).flatMap((group) =>
    readdirSync(group, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(group, entry.name)),
  );
  return [
    ...processes,
    ...[...folders, ...groups].filter((path) => isLeftOver(basename(path).replace(/^n8n-tuned-/, ''))),
  ];
}

const OF_A_RUN = /\/n8n\/bin\/n8n|n8n-tuned-\d+-[A-Za-z0-9]{6}\//;

/** Whether the tool or the test runner is among the ancestors of a process. */
function isAttended(pid: string): boolean {
  const parent = parentOf(pid);
  return (
    parent > 1 && (/n8n-(capacity|experiment)|jest/.test(commandLine(String(parent))) || isAttended(String(parent)))
  );
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

const processIds = () => readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
