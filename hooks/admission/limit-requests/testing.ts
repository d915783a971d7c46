import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import { join } from 'node:path';

/** Executions, as the admission counts them. */
export interface Counts {
  all: number;
  answered: number;
  held?: number;
  of?: Map<string, { all: number; answered: number }>;
}

/** What an admission is made of. */
export interface Limits {
  most: number;
  line: number;
  longest: number;
  executions?: (since: number) => Counts;
  now?: () => number;
}
/** The chart's classes; they are plain JavaScript, so they have no types. */
export interface Admission {
  most: number;
  underWay: number;
  waiting: number;
  admitted: number;
  served: number;
  demand: number;
  refused: Record<'line' | 'wait' | 'heap' | 'ending', number>;
  heap: { most: number };
  concurrency: ConcurrencyLimit;
  held: number;
  onWait: (milliseconds: number) => void;
  onStuck: (count: number) => void;
  arrive(
    enter: (leave: (isServed?: boolean, isExecution?: boolean) => void) => void,
    refuse: (seconds: number, reason: string) => void,
    how?: { resumes?: boolean; path?: string },
  ): () => void;
  end(): void;
}
interface ConcurrencyLimit {
  most: number;
  onLine(line: {
    underWay: number;
    waiting: number;
    isCrowd: boolean;
    ended: number;
    served: number;
    unloaded: number;
    age: number;
    refusedAt: number;
  }): void;
}
interface LatencyLimit extends ConcurrencyLimit {
  onLeft(admittedAt: number): void;
}
interface HeapLimit {
  most: number;
  onCollected(share: number, ofContainer?: number): void;
}
const require = createRequire(import.meta.url);
/** The folder of this hook. */
export const folder = import.meta.dirname;
export const { Admission, HeapLimit, ConcurrencyLimit, LatencyLimit, countIn, guard, pace, sparingly } = Object.assign(
  {},
  ...['admission', 'heap', 'guard', 'executions', 'concurrency', 'latency'].map((name) =>
    require(join(folder, `${name}.js`)),
  ),
) as {
  Admission: new (limits: Limits) => Admission;
  ConcurrencyLimit: new (of: { full: number; busy: () => number; now: () => number }) => ConcurrencyLimit;
  LatencyLimit: new (of: { full: number; now: () => number }) => LatencyLimit;
  HeapLimit: new (of: { held: () => number; admitted: () => number; least?: number; now?: () => number }) => HeapLimit;
  guard: (
    server: Server,
    admission: Admission,
    how?: { elsewhere?: boolean; bodySeconds?: number; serve?: (path: string, go: () => void) => void },
  ) => void;
  countIn: (active: object, elsewhere: boolean, since: number, pathOf?: (data: object) => string | undefined) => Counts;
  pace: (perSecond: number, latest: number, now?: () => number) => (call: () => void, latest?: number) => void;
  sparingly: <Q, T>(ask: (question?: Q) => T) => (question?: Q) => T;
};
