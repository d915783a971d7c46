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
  /** Why the answer is not correct: an HTTP status, k6's error code, or the fault that the script found. */
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
  scenario: string;
  extra_tags: string;
}

/** Receives the output of k6, one request at a time. */
export interface SampleSink {
  /** As in `K6Samples`; updated while rows are read. */
  dropped: number;
  vusMost: number;
  /** When the measured part began, in milliseconds since the epoch; set if k6 reports it. */
  begunAt?: number;
  /**
   * @param measured whether the request belongs to the measured part of its step
   * @param rate index of its rate in the step: always 0, except in a burst
   */
  add(sample: RequestSample, measured: boolean, rate: number): void;
  /** @param seconds by which a measured request was sent after it was due */
  addLag?(seconds: number): void;
}

/** Passes a row of the script's own metrics (loadtests/lib/workload.js) to the sink. */
function readRow(row: Row, sink: SampleSink): void {
  const value = Number(row.metric_value);
  if (!Number.isFinite(value) || !Number.isFinite(Number(row.timestamp)))
    throw new Error(`a row of ${String(row.metric_name).slice(0, 40)} has no time or no value`);
  const measured = row.scenario?.endsWith('_measure');
  if (row.metric_name === 'latency')
    sink.add(parseSample(row, value), readTag(row, 'phase') === 'measure', parseRateIndex(row));
  else if (row.metric_name === 'lag' && measured) sink.addLag?.(value / 1000);
  else if (row.metric_name === 'begun' && measured) sink.begunAt = Math.min(sink.begunAt ?? Infinity, value);
  // Its only tag is the scenario, whose name ends with the phase.
  else if (row.metric_name === 'dropped_iterations' && measured) sink.dropped += value;
  else if (row.metric_name === 'vus') sink.vusMost = Math.max(sink.vusMost, value);
}

function parseSample(row: Row, tookMs: number): RequestSample {
  const endedAt = Number(row.timestamp) / 1000;
  const fault = readTag(row, 'fault');
  return {
    workload: readTag(row, 'workload'),
    sentAt: endedAt - tookMs,
    endedAt,
    correct: fault === '',
    ...(fault !== '' && { failure: describeFailure(fault) }),
  };
}

/** Describes a fault, a code that the script puts into a tag. */
function describeFailure(fault: string): string {
  const [, kind, code] = /^([cs])(\d+)$/.exec(fault) ?? [];
  if (kind === 'c') return describeNoAnswer(code!);
  if (kind === 's') return `HTTP ${code}`;
  return fault === 'refused' ? REFUSED : `wrong answer (${fault})`;
}

/** The failure of a refused request. A refusal is not a fault of the deployment: it asks the client to come back. */
export const REFUSED = 'refused (HTTP 503 with Retry-After)';

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
/** Failures whose request was never sent: the name was not found (11xx), or no connection was made (121x, 13xx). */
const NEVER_SENT = /\(k6 error 1[13]\d\d\)|\(k6 error 121\d\)/;

/** Whether a request with this failure cannot have started an execution, because it was refused or never sent. */
export function isNeverStarted(failure: string | undefined): boolean {
  if (failure === undefined) return false;
  const unsent = [1101, 1211, 1212, 1310, 1311].map((code) => describeNoAnswer(String(code)));
  return failure === REFUSED || unsent.includes(failure) || NEVER_SENT.test(failure);
}

const describeNoAnswer = (code: string): string => `no answer (${NO_ANSWER[code] ?? `k6 error ${code}`})`;

/** Whether a request with this failure was sent but got no answer. Its execution may be waiting, running or finished. */
export const isUnanswered = (failure: string): boolean => failure.startsWith('no answer') && !isNeverStarted(failure);

/** Scenarios are named `<workload>_<rate's index>_<phase>`. */
const parseRateIndex = ({ scenario }: Row): number => Number(/_(\d+)_[a-z]+$/.exec(scenario)?.[1] ?? 0);

const readTag = (row: Row, name: string): string =>
  new RegExp(`(?:^|&)${name}=([^&]*)`).exec(row.extra_tags)?.[1] ?? '';

/**
 * Passes the samples of a `--out csv=FILE.csv.gz` file to the sink, one at a time: the samples of a soak do not fit in memory.
 * @throws Error when the file cannot be read or is truncated
 */
export async function streamSamples(file: string, sink: SampleSink): Promise<void> {
  const rows = parse({ columns: true, relax_column_count: true });
  await pipeline(createReadStream(file), createGunzip(), rows, async (parsed: AsyncIterable<Row>) => {
    for await (const row of parsed) readRow(row, sink);
  });
}

/** Reads all samples of a file into memory. Throws UsageError when it cannot be read or is truncated. */
export async function readSamples(file: string): Promise<K6Samples> {
  const [warmup, measured]: [RequestSample[], RequestSample[]] = [[], []];
  const add: SampleSink['add'] = (sample, isMeasured) => void (isMeasured ? measured : warmup).push(sample);
  const sink: SampleSink = { dropped: 0, vusMost: 0, add };
  await streamSamples(file, sink).catch((error: unknown) => {
    throw new UsageError(
      `${file}: is not a valid file of k6 samples (${messageOf(error).split('\n')[0]}); remove it to judge the run without it.`,
    );
  });
  return { warmup, measured, dropped: sink.dropped, vusMost: sink.vusMost };
}
