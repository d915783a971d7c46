import { readFileSync, statSync } from 'node:fs';
import { messageOf, UsageError } from '../core/errors.js';
import {
  MOST_RECORDED_ARRIVALS,
  MOST_RECORDED_SECONDS,
  RECORDING,
  recordingSchema,
  type Recording,
} from '../model/recording.js';
import { seededRandom } from '../stats/random.js';

/** A million times with six decimals, and their workflows. */
const MOST_BYTES = 64 * 2 ** 20;
/** A step of a shorter recording says little. */
const LEAST_SECONDS = 5;
/** Further arrivals fall within this time of a recorded one, before or after it. */
const JITTER_SECONDS = 0.5;
/** Below it `busiestRate` would be that of single arrivals. */
export const BUSY_SECONDS = 10;

/**
 * The recording in a file: JSON as `n8n-capacity arrivals` writes it, or plain text with a time in seconds on each line.
 * @param name the option, for messages
 * @throws UsageError that names the file and what is wrong with it
 */
export function readRecording(file: string, name: string): Recording {
  const where = `${name} ${file}`;
  const text = read(file, where);
  const recording = text.trimStart().startsWith('{') ? recordingIn(text, where) : timesIn(text, where);
  refuseUnusable(recording, where);
  return recording;
}

function read(file: string, where: string): string {
  try {
    if (statSync(file).size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / 2 ** 20} MiB`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${where}: cannot be read: ${messageOf(error)}; write poisson, even, or a file that "n8n-capacity arrivals" wrote.`,
    );
  }
}

function recordingIn(text: string, where: string): Recording {
  try {
    return recordingSchema.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${where}: is not a recording of "${RECORDING}"; write one with "n8n-capacity arrivals".`);
  }
}

function timesIn(text: string, where: string): Recording {
  const lines = text.split('\n').map((line) => line.trim());
  const offsets = lines.filter((line) => line !== '' && !line.startsWith('#')).map(Number);
  const bad = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !Number.isFinite(Number(line)));
  if (bad >= 0)
    throw new UsageError(
      `${where}: line ${bad + 1} is not a time; write seconds since the beginning, one on each line, ascending.`,
    );
  const seconds = Math.max(LEAST_SECONDS, Math.floor(offsets.at(-1) ?? 0) + 1);
  return { kind: RECORDING, seconds, workflows: [{ id: 'times', count: offsets.length, offsets }] };
}

function refuseUnusable({ seconds, workflows }: Recording, where: string): void {
  const refuse = (why: string) => {
    throw new UsageError(`${where}: ${why}`);
  };
  const count = workflows.reduce((total, { offsets }) => total + offsets.length, 0);
  for (const { id, offsets } of workflows)
    offsets.forEach((at, i) => {
      if (!(at >= 0)) refuse(`workflow ${id}: the time ${at} is below 0; times are seconds since the beginning.`);
      if (i > 0 && at < offsets[i - 1]!)
        refuse(`workflow ${id}: the time ${at} follows ${offsets[i - 1]}; write the times in ascending order.`);
    });
  if (!(seconds >= LEAST_SECONDS && seconds <= MOST_RECORDED_SECONDS))
    refuse(`lasts ${seconds} s; a recording lasts ${LEAST_SECONDS} s to ${MOST_RECORDED_SECONDS} s.`);
  if (workflows.some(({ offsets }) => (offsets.at(-1) ?? 0) >= seconds))
    refuse(`has a time after its end at ${seconds} s.`);
  if (count === 0) refuse('holds no arrivals.');
  if (count > MOST_RECORDED_ARRIVALS) refuse(`holds ${count} arrivals; at most ${MOST_RECORDED_ARRIVALS} are allowed.`);
}

/**
 * The arrivals of all workflows, `times` as many, in ascending order. Further arrivals are recorded ones drawn at random and
 * moved by at most half a second: a burst of 100 becomes one of 150 that lasts as long. To compress time would shorten bursts,
 * and to lay another part of the hour on top would fill pauses, so that both would ask less of the deployment. Fewer arrivals
 * are a random share of the recorded ones.
 * @param times above 0
 */
export function scaledTimes({ seconds, workflows }: Recording, times: number, seed: number): Float64Array {
  const recorded = Float64Array.from(workflows.flatMap(({ offsets }) => offsets)).sort();
  const random = seededRandom(seed);
  const whole = Math.floor(times);
  const copies = Array.from({ length: whole }, (_, i) => (i === 0 ? [...recorded] : [...recorded].map(moved)));
  const some = shuffledShare(recorded, times - whole, () => random.uniform());
  return Float64Array.from([...copies.flat(), ...(whole === 0 ? some : some.map(moved))]).sort();

  function moved(at: number): number {
    const to = at + JITTER_SECONDS * (2 * random.uniform() - 1);
    return to < 0 || to >= seconds ? at : to;
  }
}

/** So large a share of the values, at random without replacement (Fisher and Yates). */
function shuffledShare(values: Float64Array, share: number, uniform: () => number): number[] {
  const pool = [...values];
  const count = Math.round(share * pool.length);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(uniform() * (pool.length - i));
    [pool[i], pool[j]] = [pool[j]!, pool[i]!];
  }
  return pool.slice(0, count);
}

/** Most arrivals per second in any 10 s. */
export function busiestRate(times: Float64Array): number {
  let [most, oldest] = [0, 0];
  times.forEach((at, i) => {
    while (times[oldest]! <= at - BUSY_SECONDS) oldest++;
    most = Math.max(most, i - oldest + 1);
  });
  return most / BUSY_SECONDS;
}
