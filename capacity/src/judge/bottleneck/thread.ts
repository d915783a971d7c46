import { formatNumber, formatSeconds, formatPercent } from '../../core/formats.js';
import type { LimitCandidate } from './limit.js';
import type { Observed } from './observed.js';

/** A thread is full when it works for this share of the time that it can work at all. */
const THREAD_REACHED = 0.9;
/**
 * The share of the time for which main's thread can work with SQLite: it waits for the one writer in the rest. Run: when
 * clients always waited, it worked for 70 to 80 % of the time (webhook-ack, webhook-expression, code; bench:forecast, n8n
 * 2.41.1).
 */
export const SQLITE_THREAD_SHARE = 0.75;
/** Where the thread itself cannot be seen, its process must use a core and its event loop lag by this much, in seconds. */
const LAG_OF_FULL_THREAD = 0.1;
/** Less of the thread's time is not worth a word. */
const TELLING_SHARE = 0.1;

/**
 * The one thread on which a process of n8n runs its JavaScript, or Redis its commands. More CPU does not make it faster; more
 * processes do. The process and its children may use several cores while this thread is idle: task runner, garbage
 * collection, compiler.
 */
export function threadCandidates(observed: Observed): LimitCandidate[] {
  const { name, component, inside, waitsForSqlite } = observed;
  if (component === 'postgresql') return [];
  const known = inside.threadCores;
  if (known === undefined) return byItsLag(observed);
  const share = Math.min(1, known / (waitsForSqlite ? SQLITE_THREAD_SHARE : 1));
  const reached = share >= THREAD_REACHED;
  const waits = reached && known < THREAD_REACHED ? ", and waited for SQLite's one writer in the rest" : '';
  const evidence = `${name}'s main thread worked for ${formatPercent(Math.min(1, known))} of the time${waits}${tree(observed)}${spentOn(observed)}`;
  return [{ limit: 'thread', instance: name, component, evidence, share, reached }];
}

/** The whole tree where that uses clearly more: the difference is not this thread's. */
function tree({ used, inside: { threadCores = 0 } }: Observed): string {
  return used && used.meanCores > threadCores + TELLING_SHARE
    ? ` (with its other threads and processes ${used.meanCores.toFixed(2)} cores)`
    : '';
}

/** The CPU of a thread is not visible in a cluster or behind a URL: a full one shows in its process and its event loop. */
function byItsLag(observed: Observed): LimitCandidate[] {
  const { name, component, used, inside, lag } = observed;
  const cores = inside.ownCores ?? used?.meanCores;
  if (cores === undefined || cores < THREAD_REACHED) return [];
  if (component !== 'redis' && (lag === undefined || lag < LAG_OF_FULL_THREAD)) return [];
  const of = inside.ownCores === undefined ? name : `${name}'s own process`;
  const lagged = lag === undefined ? '' : `, and its event loop lagged by ${formatSeconds(lag)}`;
  const evidence = `${of} used ${cores.toFixed(2)} cores${lagged}; the CPU of its main thread alone cannot be seen here${spentOn(observed)}`;
  return [{ limit: 'thread', instance: name, component, evidence, share: Math.min(1, cores), reached: true }];
}

/** What n8n says that its thread did. */
function spentOn({ inside: { gc = 0, isolates = 0, coldIsolates = 0 } }: Observed): string {
  const parts = [
    ...(gc >= TELLING_SHARE ? [`${formatPercent(gc)} of the time in garbage collection, at least`] : []),
    ...(coldIsolates >= TELLING_SHARE
      ? [
          `${formatPercent(coldIsolates)} building isolates for expressions, of which it took ${formatNumber(isolates)} per second`,
        ]
      : []),
  ];
  return parts.length > 0 ? `; ${parts.join(', ')}` : '';
}
