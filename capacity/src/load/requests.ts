import { PERCENTILES, type Slo } from '../model/plan.js';
import type { LoadSecond, LoadSummary, PartSummary, SlowAnswers } from '../model/step.js';
import { percentile } from '../stats/intervals.js';
import { isNeverStarted, REFUSED, type K6Samples, type RequestSample, type SampleSink } from './samples.js';

/** A growing list of numbers, 8 bytes each. A soak of days has millions of requests, which would take gigabytes as objects. */
export class Column {
  private numbers = new Float64Array(1024);
  private length = 0;

  push(value: number): void {
    if (this.length === this.numbers.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.length++] = value;
  }

  /** A view, valid until the next push. */
  get values(): Float64Array {
    return this.numbers.subarray(0, this.length);
  }
}

/** The requests of a step, summarised while they are read. */
export class Requests implements SampleSink {
  dropped = 0;
  vusMost = 0;
  begunAt?: number;
  private readonly lags = new Column();
  private readonly accepted = new Column();
  private readonly sentAt = new Column();
  /** Overhead of each measured request, in seconds; NaN if it failed. */
  private readonly overheads = new Column();
  /** Time until each refusal, in seconds. */
  private readonly refusals = new Column();
  private readonly failures: Record<string, number> = {};
  private failed = 0;
  /** Results by workload; empty if there is only one. */
  private readonly parts = new Map<string, PartSummary>();
  /** Number of requests, warm-up included. */
  sent = 0;
  /** Number of requests, warm-up included, without a correct answer that n8n may have executed nevertheless. */
  unproved = 0;
  /** When the last answer ended, in milliseconds since the epoch. */
  lastEndedAt = 0;

  /**
   * @param serviceSeconds service time of an answer, per workload; the overhead is the latency above it
   * @param slo its latency objectives decide which answers count as slow
   * @param until requests that ended later are ignored, in milliseconds since the epoch
   */
  constructor(
    private readonly serviceSeconds: Record<string, number>,
    private readonly slo: Slo,
    private readonly until = Infinity,
  ) {
    const names = Object.keys(serviceSeconds);
    if (names.length > 1) for (const name of names) this.parts.set(name, { answered: 0, failed: 0, slow: {} });
  }

  add(sample: RequestSample, measured: boolean): void {
    if (sample.endedAt > this.until) return;
    this.sent += 1;
    this.lastEndedAt = Math.max(this.lastEndedAt, sample.endedAt);
    if (sample.correct) this.accepted.push(sample.sentAt);
    else if (!isNeverStarted(sample.failure)) this.unproved += 1;
    if (!measured) return;
    this.sentAt.push(sample.sentAt);
    const overhead = sample.correct ? this.computeOverhead(sample) : Number.NaN;
    this.overheads.push(overhead);
    this.addToPart(sample, overhead);
    if (sample.correct) return;
    const kind = sample.failure ?? 'unproved';
    if (kind === REFUSED) this.refusals.push((sample.endedAt - sample.sentAt) / 1000);
    this.failures[kind] = (this.failures[kind] ?? 0) + 1;
    this.failed += 1;
  }

  private addToPart({ workload, correct }: RequestSample, overhead: number): void {
    const part = this.parts.get(workload);
    if (!part) return;
    part[correct ? 'answered' : 'failed'] += 1;
    for (const p of PERCENTILES) if (overhead > (this.slo[p] ?? Infinity)) part.slow[p] = (part.slow[p] ?? 0) + 1;
  }

  addLag(seconds: number): void {
    this.lags.push(seconds);
  }

  private computeOverhead({ sentAt, endedAt, workload }: RequestSample): number {
    return Math.max(0, (endedAt - sentAt) / 1000 - (this.serviceSeconds[workload] ?? 0));
  }

  /** When the first measured request was sent, in milliseconds since the epoch; undefined if none was. */
  get firstSentAt(): number | undefined {
    const { values } = this.sentAt;
    return values.length === 0 ? undefined : values.reduce((first, at) => Math.min(first, at), Infinity);
  }

  /** When each correctly answered request was sent, warm-up included, in ascending order. */
  acceptedTimes(): Float64Array {
    return this.accepted.values.slice().sort();
  }

  /** The summary of the measured part of a step. */
  summary(measuredFrom: number): LoadSummary {
    const sorted = this.overheads.values.filter((overhead) => !Number.isNaN(overhead)).sort();
    const at = (p: number) => percentile(sorted, p);
    return {
      offered: this.sentAt.values.length + this.dropped,
      answered: sorted.length,
      failed: this.failed,
      failures: this.failures,
      dropped: this.dropped,
      latency: sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1)! },
      slow: countSlowAnswers(sorted, this.slo),
      ...(this.parts.size > 0 && { parts: Object.fromEntries(this.parts) }),
      ...(this.lags.values.length > 0 && { lagP95: percentile(this.lags.values.slice().sort(), 0.95) }),
      seconds: this.summariseSeconds(measuredFrom),
      vusMost: this.vusMost,
      ...(this.refusals.values.length > 0 && { refusedP50: percentile(this.refusals.values.slice().sort(), 0.5) }),
    };
  }

  /** Requests by the second in which they were sent: a slow answer belongs to the load that made it slow. */
  private summariseSeconds(measuredFrom: number): LoadSecond[] {
    const overheads = this.overheads.values;
    const seconds = Int32Array.from(this.sentAt.values, (at) => Math.max(0, Math.floor((at - measuredFrom) / 1000)));
    const order = Uint32Array.from(seconds, (_, i) => i).sort((a, b) => seconds[a]! - seconds[b]! || a - b);
    const result: LoadSecond[] = [];
    for (let from = 0, to = 0; from < order.length; from = to) {
      const at = seconds[order[from]!]!;
      while (to < order.length && seconds[order[to]!] === at) to++;
      const latencies = Float64Array.from(order.subarray(from, to), (i) => overheads[i]!)
        .filter((overhead) => !Number.isNaN(overhead))
        .sort();
      const [sent, answered] = [to - from, latencies.length];
      const p50 = answered > 0 && { p50: percentile(latencies, 0.5) };
      result.push({ at, sent, answered, failed: sent - answered, ...p50, ...slowAnswersIfAny(latencies, this.slo) });
    }
    return result;
  }
}

/** The slow answers of one second; empty if no answer was slow, as in most seconds. */
function slowAnswersIfAny(sorted: Float64Array, slo: Slo): Pick<LoadSecond, 'slow'> {
  const slow = countSlowAnswers(sorted, slo);
  return Object.values(slow).some((n) => n > 0) ? { slow } : {};
}

/** Counts the overheads above each latency objective. */
function countSlowAnswers(sorted: Float64Array, slo: Slo): SlowAnswers {
  const above = (limit: number) => {
    const first = sorted.findIndex((overhead) => overhead > limit);
    return first === -1 ? 0 : sorted.length - first;
  };
  const given = PERCENTILES.flatMap((p) => (slo[p] === undefined ? [] : [[p, above(slo[p])] as const]));
  return Object.fromEntries(given);
}

/**
 * The summary of the measured part of a step whose samples are in memory.
 * @param serviceSeconds see Requests
 */
export function summariseSamples(
  { measured, dropped, vusMost }: K6Samples,
  serviceSeconds: Record<string, number>,
  measuredFrom: number,
  slo: Slo,
): LoadSummary {
  const requests = new Requests(serviceSeconds, slo);
  for (const sample of measured) requests.add(sample, true);
  Object.assign(requests, { dropped, vusMost });
  return requests.summary(measuredFrom);
}
