import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RunRecord } from '../../capacity/src/model/run.js';
import type { Sample } from '../../capacity/src/model/sample.js';
import type { RunConclusion, RunVerdict } from '../../capacity/src/model/verdict.js';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { chartFolder, repositoryFolder } from '../../capacity/src/core/paths.js';
import { TESTED_N8N } from '../support/versions.js';
import { processTreeIds, readProcesses } from '../../capacity/src/observe/proc.js';

export const BIN = join(repositoryFolder, 'capacity', 'bin', 'n8n-capacity.js');

/**
 * Objectives that only a broken deployment misses, and that two dozen requests can prove. These tests check that the
 * deployment works, not how fast this machine is.
 */
export const LENIENT = ['--slo', 'p50=20s,errors=20%'];

/** The shortest step with a verdict: n8n is idle in enough of its seconds to prove headroom. */
export const SHORT = ['--step-duration', '12s', '--warmup', '2s', '--no-overload'];

/** A rate that even a busy machine sustains, with as many requests as a verdict needs. */
export const SLOW = ['--rates', '2/s', ...SHORT];

/** Arguments that deploy a profile of the chart. */
export const profile = (name: string): string[] => ['-f', join(chartFolder, 'profiles', `${name}.yaml`)];

/** Starts `n8n-capacity validate` with its records in a folder of its own. */
export function startValidate(...args: string[]) {
  const folder = join(mkdtempSync(join(tmpdir(), 'validate-')), 'run');
  return { child: cli('validate', '-o', folder, ...args), folder };
}

/** A started run, and the folder of its record. */
type Started = ReturnType<typeof startValidate>;

/**
 * Resolves when the run has written a file, for example `logs/import.log` (it imports) or `steps/00-webhook-ack.csv.gz`
 * (its first step is under load). Rejects if the run ends before.
 */
export async function waitForFile({ child, folder }: Started, file: string): Promise<void> {
  while (!existsSync(join(folder, file))) {
    if (child.exitCode !== null) throw new Error(`ended before it wrote ${file}:\n${(await child).stderr}`);
    await sleep(50);
  }
}

/** Kills the processes of the run whose command line matches. Throws if there are none. */
export async function killStarted({ pid }: { pid?: number }, pattern: RegExp): Promise<void> {
  const found = processTreeIds(await readProcesses(), pid!).filter((p) =>
    pattern.test(readProcFile(String(p), 'cmdline')),
  );
  if (found.length === 0) throw new Error(`nothing that it has started matches ${pattern}`);
  for (const each of found) process.kill(each, 'SIGKILL');
}

/** After each test, checks that the runs of this file have left nothing on the machine. */
export const expectNothingLeft = () => afterEach(() => expect(findLeftovers()).toEqual([]));

/**
 * Process ids of the `n8n-capacity` runs that this test file started. Files and groups that they create have the id in
 * their name.
 */
const startedPids: number[] = [];

/** Runs `n8n-capacity` with these arguments and environment variables, and waits for its end. */
export function cliWith(env: Record<string, string>, ...args: string[]) {
  const child = execa(process.execPath, [BIN, ...withRunImage(args)], { reject: false, stdin: 'ignore', env });
  if (child.pid) startedPids.push(child.pid);
  return child;
}

/**
 * Adds the n8n image that tests run, unless the arguments name one. A cluster whose images only tools/cluster-lab builds
 * cannot pull the chart's own n8n.
 */
export function withRunImage(args: string[]): string[] {
  const isCluster = args.some(
    (arg, i) => arg === '--provisioner=kubernetes' || (arg === 'kubernetes' && args[i - 1] === '--provisioner'),
  );
  const namesOne = args.some(
    (arg) => arg.includes('image.') || ['--manifests', '--chart', '--run'].some((flag) => arg.startsWith(flag)),
  );
  return isCluster && !namesOne ? [...args, '--set-string', `image.tag=${TESTED_N8N}`] : args;
}

/** Runs `n8n-capacity` with these arguments, and waits for its end. */
export const cli = (...args: string[]) => cliWith({}, ...args);

/** Codes of the reasons of the first step of the first load. */
export const reasonCodes = ({ loads }: RunVerdict): string[] =>
  loads[0]!.steps[0]!.judged.reasons.map(({ code }) => code);

/** Runs `validate` to its end; returns the exit code, the output and the record. */
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
    steps: readJsonLines<StepRecord>(join(folder, 'steps.ndjson')),
    samples: readJsonLines<Sample>(join(folder, 'samples.ndjson')),
  };
}

/** Expects exit code 0; on failure shows the reasons for another one. */
export const expectPass = ({ exitCode, stderr, conclusion }: Pick<Ended, 'exitCode' | 'stderr' | 'conclusion'>): void =>
  expect(exitCode === 0 ? '' : `exit code ${exitCode}\n${describeReasons(conclusion).join('\n')}\n${stderr}`).toBe('');

type Ended = Awaited<ReturnType<typeof runValidate>>;

/** The conclusion of each load, and the reasons for the verdict of each step. */
const describeReasons = ({ verdict }: RunConclusion): string[] =>
  verdict.loads.flatMap(({ load, conclusion, steps }) => [
    `${load}: ${conclusion}`,
    ...steps.flatMap(({ step, judged }) =>
      judged.reasons.map(({ code, text }) => `${step.index} (${step.load}): ${code}: ${text}`),
    ),
  ]);

export const readJsonLines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** Processes, folders and control groups that the runs of this test file have left on the machine. */
export const findLeftovers = (): string[] => findLeftoversOf(startedPids);

/** Processes, folders and control groups that the runs with these process ids have left on the machine. */
export function findLeftoversOf(pids: number[]): string[] {
  const marks = pids.map((pid) => `n8n-tuned-${pid}-`);
  const isTheirs = (text: string) => marks.some((mark) => text.includes(mark));
  const processes = listProcessIds()
    .filter((pid) => isTheirs(`${readProcFile(pid, 'cmdline')} ${readProcFile(pid, 'environ')}`))
    .map((pid) => readProcFile(pid, 'cmdline'));
  const folders = readdirSync(tmpdir()).filter(isTheirs);
  const groups = CGROUPS.filter(existsSync).flatMap((parent) =>
    readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isTheirs(`n8n-tuned-${entry.name}`))
      .map((entry) => join(parent, entry.name)),
  );
  return [...processes, ...folders, ...groups];
}

const CGROUPS = ['/sys/fs/cgroup/memory/n8n-tuned', '/sys/fs/cgroup/n8n-tuned'];

const listProcessIds = () => readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));

function readProcFile(pid: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // the process has ended
  }
}
