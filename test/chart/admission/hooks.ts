import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { chart } from '../render.js';

/** What an admission is made of. */
export interface Limits {
  most: number;
  line: number;
  longest: number;
  executions?: (since: number) => { all: number; answered: number; held?: number };
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
    resumes?: boolean,
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
/** The folder of the chart's hooks. */
export const hooks = join(chart, 'files/hooks');
const require = createRequire(import.meta.url);
export const { Admission, HeapLimit, ConcurrencyLimit, LatencyLimit, guard, pace, productionPaths, sparingly } =
  Object.assign(
    {},
    ...['admission', 'heap', 'http', 'n8n', 'concurrency', 'latency'].map((name) => require(join(hooks, `${name}.js`))),
  ) as {
    Admission: new (limits: Limits) => Admission;
    ConcurrencyLimit: new (of: { full: number; busy: () => number; now: () => number }) => ConcurrencyLimit;
    LatencyLimit: new (of: { full: number; now: () => number }) => LatencyLimit;
    HeapLimit: new (of: {
      held: () => number;
      admitted: () => number;
      least?: number;
      now?: () => number;
    }) => HeapLimit;
    guard: (server: Server, admission: Admission, elsewhere?: boolean) => void;
    pace: (perSecond: number, latest: number, now?: () => number) => (call: () => void, latest?: number) => void;
    productionPaths: (env: Record<string, string | undefined>) => (url: string) => 'begins' | 'resumes' | undefined;
    sparingly: <Q, T>(ask: (question?: Q) => T) => (question?: Q) => T;
  };
