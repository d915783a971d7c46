/**
 * Chaos test of the tool itself. A validate with stubs of n8n and k6 is killed at a random moment by a random signal, with
 * a full disk, a closed output or a dead S3. `CHAOS_RUNS` and `CHAOS_SEED` set the number of runs and the seed.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { s3Address } from '../../capacity/src/record/s3/address.js';
import { uploadFolder } from '../../capacity/src/record/s3/place.js';
import { readRun } from '../../capacity/src/record/recorder.js';
import { conclude } from '../../capacity/src/run/conclude.js';
import { seededRandom } from '../../capacity/src/stats/random.js';
import { S3Stub } from '../support/s3-stub.js';
import { createStubs } from '../support/stubbed.js';
// @ts-expect-error plain JavaScript, which n8n's own Node runs too
import { serve as serveUntyped } from '../support/stubs/n8n.mjs';
import { BIN, findLeftoversOf } from './cli.js';

const RUNS = Number(process.env.CHAOS_RUNS ?? 100);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
/** Number of runs at the same time. They wait more than they compute. */
const AT_ONCE = 4;
jest.setTimeout(RUNS * 20_000 + 600_000);

interface StubN8n {
  url: string;
  workflows: { name: string }[];
  credentials: { name: string }[];
  close: () => void;
}
const serve = serveUntyped as (port: number) => Promise<StubN8n>;

const scratch = mkdtempSync(join(tmpdir(), 'chaos-'));
/** A small disk for each run that fills one; runs at the same time cannot share it. */
const disks: string[] = [];
const diskOf = (index: number | string) => join(scratch, `disk-${index}`);
const canMount = mountDisk(diskOf('trial'));
afterAll(() => {
  for (const disk of disks) execFileSync('umount', ['--lazy', disk]);
  rmSync(scratch, { recursive: true });
});

/** Mounts a small disk; false if it cannot, because that takes root and the right to mount. */
function mountDisk(disk: string): boolean {
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'n8n-capacity-test', disk], { stdio: 'ignore' });
    disks.push(disk);
    return true;
  } catch {
    return false;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const;
const FAULTS = ['none', 'none', 'closed-output', 'dead-s3', ...(canMount ? (['full-disk'] as const) : [])] as const;

/** The faults and signals that a run gets. */
interface Attack {
  index: number;
  provisioner: 'process' | 'existing';
  fault: (typeof FAULTS)[number];
  /** Moments as shares of the time of an undisturbed run. */
  faultAt: number;
  killAt: number;
  signals: (typeof SIGNALS)[number][];
}

function drawAttacks(): Attack[] {
  const random = seededRandom(SEED);
  const oneOf = <T>(list: readonly T[]) => list[Math.floor(random.uniform() * list.length)]!;
  return Array.from({ length: RUNS }, (_, index) => ({
    index,
    provisioner: oneOf(['process', 'process', 'existing'] as const),
    fault: oneOf(FAULTS),
    faultAt: random.uniform(),
    // Node itself takes the first tenth.
    killAt: 0.1 + 0.9 * random.uniform(),
    signals: random.uniform() < 0.7 ? [oneOf(SIGNALS)] : [oneOf(SIGNALS), oneOf(SIGNALS)],
  }));
}

/** Whether the signals end a run at once: SIGKILL, or a repeated signal that forces the end. */
const isForced = ({ signals: [first, second] }: Attack) =>
  first === 'SIGKILL' || second === 'SIGKILL' || (first === second && first !== 'SIGHUP');

let environment: Record<string, string>;
/** Milliseconds that an undisturbed run takes while others run. */
const undisturbedMs = { process: 0, existing: 0 };
const pids: number[] = [];

const STEPS = ['--rates', '20/s,10/s,5/s', '--step-duration', '5s', '--warmup', '1s', '--drain', '5s', '--no-overload'];

function start(args: string[], env: Record<string, string> = {}) {
  const child = execa(process.execPath, [BIN, ...args], {
    env: { ...environment, N8N_API_KEY: 'key', ...env },
    reject: false,
    stdin: 'ignore',
  });
  pids.push(child.pid!);
  return child;
}

const validate = (folder: string, more: string[] = [], env?: Record<string, string>) =>
  start(['validate', '-o', folder, '--workload', 'webhook-ack', ...STEPS, ...more], env);

/** The complete lines of a series. */
function readCompleteLines(folder: string, name: string): string[] {
  const file = join(folder, name);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean);
}

beforeAll(async () => {
  environment = await createStubs(join(scratch, 'stubs'));
  const n8n = await serve(0);
  for (const [provisioner, more] of Object.entries({ process: [], existing: existing(n8n) })) {
    const begun = performance.now();
    const folder = (i: number) => join(scratch, `undisturbed-${provisioner}-${i}`);
    const runs = Array.from({ length: AT_ONCE }, (_, i) => validate(folder(i), more));
    for (const { exitCode, stderr } of await Promise.all(runs))
      expect({ exitCode, stderr: exitCode! < 3 ? '' : stderr }).toEqual({ exitCode, stderr: '' });
    undisturbedMs[provisioner as Attack['provisioner']] = performance.now() - begun;
  }
  n8n.close();
});

/** How a run ended. */
interface Outcome {
  /** The problems that were found; empty if there are none. */
  wrong: string[];
  code: number | string;
  steps: number;
  recorded: boolean;
  leftWorkflows: number;
}

async function runAttack(attack: Attack): Promise<Outcome> {
  const { index, provisioner, fault, signals } = attack;
  if (fault === 'full-disk') expect(mountDisk(diskOf(index))).toBe(true);
  const folder = fault === 'full-disk' ? join(diskOf(index), 'run') : join(scratch, `run-${index}`);
  const [n8n, s3] = [await serve(0), await S3Stub.start()];
  const place = `s3://runs/${index}`;
  const s3Flags = ['--s3-path-style', '-o', place];
  const home = join(scratch, `home-${index}`);
  mkdirSync(home);
  const isMirrored = fault === 'dead-s3';
  // With S3 the record's folder is the default one, below the working directory.
  const args = [
    'validate',
    '--workload',
    'webhook-ack',
    ...STEPS,
    ...(provisioner === 'existing' ? existing(n8n) : []),
  ];
  const child = execa(process.execPath, [BIN, ...args, ...(isMirrored ? s3Flags : ['-o', folder])], {
    env: { ...environment, ...s3.environment, N8N_API_KEY: 'key', HOME: home },
    cwd: home,
    reject: false,
    stdin: 'ignore',
  });
  pids.push(child.pid!);
  const recordFolder = () => (isMirrored ? newestFolder(join(home, 'results')) : folder);
  const later = async (share: number, act: () => void) => {
    await sleep(share * undisturbedMs[provisioner]);
    act();
  };
  const disturbed = later(attack.faultAt, () => {
    if (fault === 'closed-output') for (const stream of [child.stdout, child.stderr]) stream.destroy();
    if (fault === 'dead-s3') s3.dead = true;
    if (fault === 'full-disk') fillDisk(index);
  });
  let known: string[] = [];
  const killed = later(attack.killAt, () => {
    known = readCompleteLines(recordFolder(), 'steps.ndjson');
    if (child.exitCode === null) child.kill(signals[0]);
  }).then(async () => {
    if (signals[1] === undefined) return;
    await sleep(100);
    if (child.exitCode === null) child.kill(signals[1]);
  });
  const ended = await Promise.race([child, sleep(120_000, undefined, { ref: false })]);
  await Promise.all([disturbed, killed]);
  if (fault === 'full-disk') rmSync(join(diskOf(index), 'ballast'), { force: true });
  const wrong: string[] = [];
  if (!ended) {
    wrong.push('did not end within 120 s');
    child.kill('SIGKILL');
  }
  const wasForced = isForced(attack) || ended?.signal === 'SIGKILL';
  const code = ended?.exitCode ?? ended?.signal ?? 'none';
  const stderr = String(ended?.stderr ?? '');
  if (/^\s+at /m.test(stderr)) wrong.push(`a stack trace: ${stderr.slice(-600)}`);
  wrong.push(...(await findLeftovers(home, child.pid!, wasForced)));
  if (!wasForced && n8n.workflows.length + n8n.credentials.length > 0) wrong.push(`left in n8n: ${names(n8n)}`);
  const leftWorkflows = n8n.workflows.length;
  if (provisioner === 'existing') {
    const cleaned = await start(['clean', '--url', n8n.url, '--yes']);
    if (cleaned.exitCode !== 0 || names(n8n) !== '') wrong.push(`clean left ${names(n8n)}: ${cleaned.stderr}`);
  }
  const record = recordFolder();
  const recorded = existsSync(join(record, 'run.json'));
  wrong.push(...(await findRecordProblems(record, recorded, known)));
  if (isMirrored && recorded) {
    s3.dead = false;
    Object.assign(process.env, s3.environment);
    await uploadFolder(record, s3Address(place, { s3PathStyle: true })).catch((e: unknown) => wrong.push(String(e)));
    wrong.push(...findMirrorProblems(s3, `/runs/${index}`, record));
  }
  n8n.close();
  s3.close();
  return { wrong, code, steps: readCompleteLines(record, 'steps.ndjson').length, recorded, leftWorkflows };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const existing = ({ url }: StubN8n) => ['--provisioner', 'existing', '--url', url, '--max-rate', '50/s'];
const names = ({ workflows, credentials }: StubN8n) =>
  [...workflows, ...credentials].map(({ name }) => name).join(', ');

function newestFolder(results: string): string {
  const [name = 'none'] = existsSync(results) ? readdirSync(results).sort().reverse() : [];
  return join(results, name);
}

/** Fills the disk almost completely, so that the next lines of the record do not fit. */
function fillDisk(index: number): void {
  const disk = diskOf(index);
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - 8192)));
  } catch (error) {
    // The record grew meanwhile: the disk is full.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Processes that still run, and folders and control groups of a run that had time to remove them. */
async function findLeftovers(home: string, pid: number, wasForced: boolean): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const processes = findProcesses(home, `n8n-tuned-${pid}-`);
    const rest = wasForced ? [] : findLeftoversOf([pid]);
    const left = [...new Set([...processes, ...rest])];
    if (left.length === 0 || tries === 100) return left.map((what) => `left: ${what}`);
    await sleep(100);
  }
}

function findProcesses(...texts: string[]): string[] {
  const shown = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return ''; // the process has ended
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => texts.some((text) => `${shown(pid, 'cmdline')} ${shown(pid, 'environ')}`.includes(text)))
    .map((pid) => `process ${pid}: ${shown(pid, 'cmdline')}`);
}

/** Problems of a record, which must be readable and judged; without a record, its folder must take the next run. */
async function findRecordProblems(folder: string, recorded: boolean, known: string[]): Promise<string[]> {
  const steps = readCompleteLines(folder, 'steps.ndjson');
  const lost = known.filter((line) => !steps.includes(line));
  const problems = lost.map((line) => `lost: ${line.slice(0, 80)}`);
  if (!recorded) return problems;
  try {
    const run = await readRun(folder);
    if (run.steps.some((step, i) => step.index !== i)) problems.push('steps are missing or twice');
    if (run.steps.length > 0) await conclude(folder);
  } catch (error) {
    problems.push(`the record cannot be judged: ${String(error)}`);
  }
  return problems;
}

/** Differences between S3 and the folder after the upload. */
function findMirrorProblems(s3: S3Stub, prefix: string, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
    .map((entry) => join(entry.parentPath, entry.name));
  return files
    .filter((file) => !s3.objects.get(`${prefix}${file.slice(folder.length)}`)?.equals(readFileSync(file)))
    .map((file) => `not in S3: ${file}`);
}

test(`the next command cleans up or continues after each of ${RUNS} runs that were killed at random`, async () => {
  const open = drawAttacks();
  const outcomes: (Outcome & { attack: Attack })[] = [];
  const worker = async () => {
    for (let next = open.shift(); next; next = open.shift())
      outcomes.push({ ...(await runAttack(next)), attack: next });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const count = (of: (outcome: (typeof outcomes)[number]) => boolean) => outcomes.filter(of).length;
  const codes = [...new Set(outcomes.map(({ code }) => code))].map(
    (code) => `${code}: ${count((o) => o.code === code)}`,
  );
  console.log(
    `chaos, seed ${SEED}: ${outcomes.length} runs of ${seconds(undisturbedMs.process)} (existing: ${seconds(undisturbedMs.existing)}), exit codes {${codes.join(', ')}}, ` +
      `${count((o) => o.recorded)} records with ${outcomes.reduce((sum, o) => sum + o.steps, 0)} steps, ` +
      `${count((o) => o.leftWorkflows > 0)} left workflows that clean removed, ${count((o) => isForced(o.attack))} forced`,
  );
  // The test would prove nothing if no run had reached these states.
  if (RUNS >= 100) expect(count((o) => o.steps > 0)).toBeGreaterThan(0);
  expect(outcomes.filter(({ wrong }) => wrong.length > 0)).toEqual([]);

  // Killed runs leave folders and control groups, which the next run removes.
  const folder = join(scratch, 'next');
  expect((await validate(folder)).exitCode).toBe(2);
  expect(findLeftoversOf(pids)).toEqual([]);
});

test('a folder takes the next run if its run was killed before it recorded anything', async () => {
  const folder = join(scratch, 'again');
  const first = validate(folder);
  while (!existsSync(join(folder, 'logs'))) await sleep(20);
  first.kill('SIGKILL');
  await first;
  expect(existsSync(join(folder, 'run.json'))).toBe(false);
  expect((await validate(folder)).exitCode).toBe(2);
  expect((await readRun(folder)).steps).toHaveLength(3);
});

test('of two runs that begin at once in one folder, one is refused', async () => {
  const folder = join(scratch, 'both');
  const ended = await Promise.all([validate(folder), validate(folder)]);
  expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([2, 3]);
  expect((await readRun(folder)).steps.map(({ index }) => index)).toEqual([0, 1, 2]);
});
