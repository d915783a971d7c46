import type { LimitCandidate } from './limit.js';
import type { LoadSecond, StepRecord } from '../../model/step.js';
import type { DeploymentRecord } from '../../model/run.js';
import { runsN8n } from '../../model/events.js';
import type { DatabaseLook, Sample } from '../../model/sample.js';
import { max, median, sum } from 'simple-statistics';
import { formatSeconds } from '../../core/formats.js';
import { insideBetween } from '../../observe/inside.js';

/** Share of n8n's connections in use above which few are idle. */
const CONNECTIONS_REACHED = 0.9;

/** A full pool limits n8n if a request waits this long for a connection on average, in seconds: a sample sees one moment of a second. */
const WAIT_REACHED = 0.05;

/** A shorter wait is not worth a word, in seconds. */
const WAIT_TELLING = 0.005;

/** Latency rises if the median of a step's second half is at least this multiple of the first half's. */
const LATENCY_RISE = 1.5;

/** Throughput is flat if the second half of a step has at most this multiple of the first half's transactions. */
const FLAT = 1.1;

/**
 * Finds signs, besides CPU, that n8n's PostgreSQL limits a step. Requests wait for a connection, or all connections are in
 * use. Or statements wait within PostgreSQL while its throughput stays flat and latency rises.
 * @param window the samples of the step's measured part
 */
export function databaseCandidates(deployment: DeploymentRecord, step: StepRecord, window: Sample[]): LimitCandidate[] {
  if (deployment.database !== 'postgresdb') return [];
  const looks = window.flatMap(({ at, database }) => (database ? [{ at, ...database }] : []));
  return [
    ...poolsOf(deployment, window),
    ...(looks.length < 2 ? [] : [...inUse(deployment, looks), ...waits(step, looks)]),
  ];
}

/** The connection pool of each n8n process, by n8n's own metrics: how many requests wait for a connection. */
function poolsOf({ instances }: DeploymentRecord, window: Sample[]): LimitCandidate[] {
  return instances.flatMap(({ name, component }) => {
    const seen = window.flatMap((s) => s.instances.find((i) => i.name === name)?.pool ?? []);
    if (seen.length === 0) return [];
    const { size } = seen.at(-1)!;
    const pending = median(seen.map((p) => p.pending));
    const active = max(seen.map((p) => p.active));
    const wait = insideBetween(window, name, window[0]!.at, window.at(-1)!.at).connectionWait ?? 0;
    const share = Math.min(1, active / size);
    const reached = pending > 0 || (share === 1 && wait >= WAIT_REACHED);
    const used =
      pending > 0
        ? `${pending} requests of ${name} waited for one of its ${size} connections to PostgreSQL (median over the step)`
        : `${name} used up to ${active} of its ${size} connections to PostgreSQL`;
    const evidence = wait >= WAIT_TELLING ? `${used}, and waited ${formatSeconds(wait)} for each on average` : used;
    return [{ limit: 'database-connections', instance: name, component, evidence, share, reached }];
  });
}

type Look = DatabaseLook & { at: number };

/** Connections in use by PostgreSQL's own count; n8n below 2.30 has no pool metrics. */
function inUse({ poolSize, instances }: DeploymentRecord, looks: Look[]): LimitCandidate[] {
  if (poolSize === undefined) return [];
  const processes = instances.filter((i) => runsN8n(i.component)).length;
  const most = poolSize * processes;
  const used = median(looks.map(busy));
  const share = Math.min(1, used / most);
  const evidence = `${used} of the ${most} connections that n8n may open to PostgreSQL were in use (median over the step), at ${rate(looks)} transactions/s`;
  return [{ limit: 'database-connections', evidence, share, reached: share >= CONNECTIONS_REACHED }];
}

/** Statements that wait within PostgreSQL. Wait events of the type Client are waits for n8n and do not count. */
function waits({ summary }: StepRecord, looks: Look[]): LimitCandidate[] {
  const waiting = median(looks.map(({ waiting: { Client: _, ...own } }) => sum(Object.values(own))));
  const share = Math.min(1, waiting / Math.max(1, median(looks.map(busy))));
  const isFlat = rate(secondHalf(looks)) <= rate(firstHalf(looks)) * FLAT && latencyRises(summary.seconds);
  const flat = isFlat ? ', flat while latency rose' : '';
  const evidence = `${waiting} connections waited within PostgreSQL (${kinds(looks)}; median over the step), at ${rate(looks)} transactions/s${flat}`;
  return waiting === 0 ? [] : [{ limit: 'database', evidence, share, reached: isFlat && share >= 0.5 }];
}

const busy = ({ connections: { active, inTransaction } }: Look): number => active + inTransaction;

/** Types of wait events, as `Lock, IO`. */
const kinds = (looks: Look[]): string =>
  [...new Set(looks.flatMap(({ waiting }) => Object.keys(waiting)))].filter((kind) => kind !== 'Client').join(', ');

/** Transactions per second between the first and the last sample. */
function rate(looks: Look[]): number {
  const [first, last] = [looks[0], looks.at(-1)];
  const seconds = first && last ? (last.at - first.at) / 1000 : 0;
  return seconds > 0 ? Math.round((last!.transactions - first!.transactions) / seconds) : 0;
}

function latencyRises(seconds: LoadSecond[]): boolean {
  const p50 = (half: LoadSecond[]) => half.flatMap((s) => s.p50 ?? []);
  const [before, after] = [p50(firstHalf(seconds)), p50(secondHalf(seconds))];
  return before.length > 0 && after.length > 0 && median(after) >= median(before) * LATENCY_RISE;
}

const firstHalf = <T>(items: T[]): T[] => items.slice(0, Math.ceil(items.length / 2));
const secondHalf = <T>(items: T[]): T[] => items.slice(Math.floor(items.length / 2));
