import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';

/** One request as k6 saw it. */
export interface RequestSample {
  workload: string;
  /** When it was sent and when its answer was there, in milliseconds since the epoch. */
  sentAt: number;
  endedAt: number;
  /** The answer carried the proof that the work was done. */
  correct: boolean;
  /** What was wrong, where it was not: an HTTP status, k6's error code, or the fault that the script found. */
  failure?: string;
}

/** What k6 wrote during one step. */
export interface K6Samples {
  warmup: RequestSample[];
  measured: RequestSample[];
  /** Iterations of the measured part that k6 could not start. */
  dropped: number;
  /** Most virtual users that k6 had at work. */
  vusMost: number;
}

interface Row {
  metric_name: string;
  timestamp: string;
  metric_value: string;
  error_code: string;
  scenario: string;
  status: string;
  extra_tags: string;
}

/** Pairs the rows of one request: k6 writes them one after another, `http_req_duration` first, the script's count last. */
class SampleReader {
  readonly samples: K6Samples = { warmup: [], measured: [], dropped: 0, vusMost: 0 };
  private readonly unpaired = new Map<string, RequestSample[]>();

  add(row: Row): void {
    const value = Number(row.metric_value);
    const { samples } = this;
    if (row.metric_name === 'http_req_duration') this.request(row, value);
    else if (row.metric_name === 'answered') this.outcome(row, true);
    else if (row.metric_name === 'wrong_answers') this.outcome(row, false);
    // It has no tag but the scenario, whose name ends in the phase.
    else if (row.metric_name === 'dropped_iterations' && row.scenario.endsWith('_measure')) samples.dropped += value;
    else if (row.metric_name === 'vus') samples.vusMost = Math.max(samples.vusMost, value);
  }

  private request(row: Row, durationMs: number): void {
    const endedAt = Number(row.timestamp) / 1000;
    const sample: RequestSample = {
      workload: tag(row, 'workload'),
      sentAt: endedAt - durationMs,
      endedAt,
      correct: false,
    };
    if (row.status !== '200')
      sample.failure =
        row.status === '0' || row.status === '' ? `no answer (k6 ${row.error_code})` : `HTTP ${row.status}`;
    this.samples[tag(row, 'phase') === 'measure' ? 'measured' : 'warmup'].push(sample);
    if (sample.failure?.startsWith('no answer')) return; // the script counts no outcome of a request without an answer
    const waiting = this.unpaired.get(this.key(row));
    if (waiting) waiting.push(sample);
    else this.unpaired.set(this.key(row), [sample]);
  }

  /** Outcomes follow their requests; of two that end in the same millisecond it does not matter which is which. */
  private outcome(row: Row, correct: boolean): void {
    const waiting = this.unpaired.get(this.key(row)) ?? [];
    const index = correct
      ? waiting.findIndex((s) => s.failure === undefined)
      : Math.max(
          0,
          waiting.findIndex((s) => s.failure !== undefined),
        );
    const [sample] = waiting.splice(Math.max(0, index), 1);
    if (!sample) return;
    sample.correct = correct;
    if (!correct) sample.failure ??= `wrong answer (${tag(row, 'fault') || 'unproved'})`;
  }

  private key = (row: Row) => `${tag(row, 'workload')} ${tag(row, 'phase')}`;
}

const tag = (row: Row, name: string): string => new RegExp(`(?:^|&)${name}=([^&]*)`).exec(row.extra_tags)?.[1] ?? '';

/** Reads the samples that k6 wrote with `--out csv=FILE.csv.gz`. */
export async function readSamples(file: string): Promise<K6Samples> {
  const reader = new SampleReader();
  const rows = parse({ columns: true, relax_column_count: true });
  await pipeline(createReadStream(file), createGunzip(), rows, async (parsed: AsyncIterable<Row>) => {
    for await (const row of parsed) reader.add(row);
  });
  return reader.samples;
}
