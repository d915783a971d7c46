import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { messageOf, UsageError } from '../core/errors.js';

/** One request as k6 saw it. */
export interface RequestSample {
  workload: string;
  /** When it was sent and when it ended, in milliseconds since the epoch. */
  sentAt: number;
  endedAt: number;
  /** The answer carried the proof that the work was done. */
  correct: boolean;
  /** What was wrong if it is not correct: an HTTP status, k6's error code, or the fault that the script found. */
  failure?: string;
}

/** The output of k6 for one step. */
export interface K6Samples {
  warmup: RequestSample[];
  measured: RequestSample[];
  /** Iterations of the measured part that k6 could not start. */
  dropped: number;
  /** Highest number of active virtual users. */
  vusMost: number;
}

interface Row {
  metric_name: string;
  timestamp: string;
  metric_value: string;
  error_code: string;
  /** Whether the script expects this status: 200, or the status of a custom workflow. */
  expected_response: string;
  scenario: string;
  status: string;
  extra_tags: string;
}

/** Receives the output of k6, one request at a time. */
export interface SampleSink {
  /** As in `K6Samples`; updated while rows are read. */
  dropped: number;
  vusMost: number;
  /**
   * @param measured whether the request belongs to the measured part of its step
   * @param rate index of its rate in the step: always 0, except in a burst
   */
  add(sample: RequestSample, measured: boolean, rate: number): void;
}

/** A request whose outcome has not been read yet. */
interface Unpaired {
  sample: RequestSample;
  measured: boolean;
  rate: number;
}

/** Pairs the rows of one request: k6 writes them one after another, `http_req_duration` first, the script's count last. */
class SampleReader {
  private readonly unpaired = new Map<string, Unpaired[]>();

  constructor(private readonly sink: SampleSink) {}

  add(row: Row): void {
    const value = Number(row.metric_value);
    const { sink } = this;
    if (!Number.isFinite(value) || !Number.isFinite(Number(row.timestamp)))
      throw new Error(`a row of ${String(row.metric_name).slice(0, 40)} has no time or no value`);
    if (row.metric_name === 'http_req_duration') this.request(row, value);
    // 0 if the proof was missing; `wrong_answers` has the reason.
    else if (row.metric_name === 'answered' && value === 1) this.outcome(row, true);
    else if (row.metric_name === 'wrong_answers') this.outcome(row, false);
    // Its only tag is the scenario, whose name ends with the phase.
    else if (row.metric_name === 'dropped_iterations' && row.scenario?.endsWith('_measure')) sink.dropped += value;
    else if (row.metric_name === 'vus') sink.vusMost = Math.max(sink.vusMost, value);
  }

  /** Requests without an outcome are not correct. */
  end(): void {
    for (const { sample, measured, rate } of [...this.unpaired.values()].flat()) this.sink.add(sample, measured, rate);
  }

  private request(row: Row, durationMs: number): void {
    const endedAt = Number(row.timestamp) / 1000;
    const sample: RequestSample = {
      workload: tag(row, 'workload'),
      sentAt: endedAt - durationMs,
      endedAt,
      correct: false,
    };
    const measured = tag(row, 'phase') === 'measure';
    const rate = rateIndex(row);
    if (row.expected_response !== 'true')
      sample.failure = row.status === '0' || row.status === '' ? noAnswer(row.error_code) : `HTTP ${row.status}`;
    // The script counts no outcome for a request without an answer.
    if (sample.failure?.startsWith('no answer')) return this.sink.add(sample, measured, rate);
    const waiting = this.unpaired.get(this.key(row));
    if (waiting) waiting.push({ sample, measured, rate });
    else this.unpaired.set(this.key(row), [{ sample, measured, rate }]);
  }

  /** Outcomes follow their requests. Two requests that end in the same millisecond are interchangeable. */
  private outcome(row: Row, correct: boolean): void {
    const waiting = this.unpaired.get(this.key(row)) ?? [];
    const index = waiting.findIndex(({ sample }) => (sample.failure === undefined) === correct);
    const [found] = waiting.splice(Math.max(0, index), 1);
    if (!found) return;
    const { sample, measured, rate } = found;
    sample.correct = correct;
    if (!correct) sample.failure ??= `wrong answer (${tag(row, 'fault') || 'unproved'})`;
    this.sink.add(sample, measured, rate);
  }

  private key = (row: Row) => `${row.scenario} ${tag(row, 'phase')}`;
}

/** k6's error codes for requests without an answer (k6 documentation, "Error codes"); 1000 stands for all others. */
const NO_ANSWER: Record<string, string> = {
  1050: 'time-out',
  1101: 'no such host',
  1201: 'broken pipe',
  1211: 'time-out while connecting',
  1212: 'connection refused',
  1220: 'connection reset',
  1310: 'certificate of an unknown authority',
  1311: 'certificate of another host',
};
const noAnswer = (code: string): string => `no answer (${NO_ANSWER[code] ?? `k6 error ${code}`})`;

/** Scenarios are named `<workload>_<rate's index>_<phase>`. */
const rateIndex = ({ scenario }: Row): number => Number(/_(\d+)_[a-z]+$/.exec(scenario)?.[1] ?? 0);

const tag = (row: Row, name: string): string => new RegExp(`(?:^|&)${name}=([^&]*)`).exec(row.extra_tags)?.[1] ?? '';

/**
 * Passes on the samples of a `--out csv=FILE.csv.gz` file, one at a time: those of a soak do not fit in memory.
 * @throws Error when the file cannot be read or is truncated
 */
export async function readInto(file: string, sink: SampleSink): Promise<void> {
  const reader = new SampleReader(sink);
  const rows = parse({ columns: true, relax_column_count: true });
  await pipeline(createReadStream(file), createGunzip(), rows, async (parsed: AsyncIterable<Row>) => {
    for await (const row of parsed) reader.add(row);
  });
  reader.end();
}

/** Reads all samples of a file into memory. Throws UsageError when it cannot be read or is truncated. */
export async function readSamples(file: string): Promise<K6Samples> {
  const [warmup, measured]: [RequestSample[], RequestSample[]] = [[], []];
  const add: SampleSink['add'] = (sample, isMeasured) => void (isMeasured ? measured : warmup).push(sample);
  const sink: SampleSink = { dropped: 0, vusMost: 0, add };
  await readInto(file, sink).catch((error: unknown) => {
    throw new UsageError(
      `${file}: is not a valid file of k6 samples (${messageOf(error).split('\n')[0]}); remove it to judge the run without it.`,
    );
  });
  return { warmup, measured, dropped: sink.dropped, vusMost: sink.vusMost };
}
