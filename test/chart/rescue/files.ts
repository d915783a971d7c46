import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { chart } from '../render.js';

/** An execution as n8n's public API lists it. */
export interface Listed {
  id: number;
  workflowId: string;
  status: string;
  mode: string;
  startedAt?: string | null;
  stoppedAt?: string | null;
  retryOf?: string | null;
  retrySuccessId?: string | null;
}
export interface Fate {
  id: string;
  workflowId: string;
  tries: number;
  fate: 'due' | 'pending' | 'running' | 'rescued' | 'failed' | 'given_up' | 'expired' | 'unlisted' | 'unanswered';
}
export interface Policy {
  tag: string;
  atOnce: number;
  maxTries: number;
  /** Milliseconds, as are the next two. */
  backoff: number;
  maxAge: number;
  long: number;
}
export interface Api {
  taggedWorkflows(tag: string): Promise<Map<string, { waits: boolean }>>;
  execution(id: string): Promise<Pick<Listed, 'status' | 'retrySuccessId'>>;
  executions(query: Record<string, string>, isEnough?: (page: Listed[]) => boolean): Promise<Listed[]>;
  retry(id: string): Promise<void>;
}
interface Metrics {
  answered(result: string): void;
  looked(seen: { fates: Fate[]; untagged: number; long: number }, now: number): void;
  text: string;
}
interface Rescue {
  now: () => number;
  look(): Promise<Array<Promise<void>>>;
}

const require = createRequire(import.meta.url);
/** The chart's files/rescue; they are plain JavaScript, so they have no types. */
export const { Api, ApiError, decide, Metrics, Rescue, serve } = Object.assign(
  {},
  ...['api', 'decide', 'metrics', 'rescue'].map((name) => require(join(chart, 'files/rescue', `${name}.js`))),
) as {
  Api: new (url: string, key: string, deadline?: number) => Api;
  ApiError: new (method: string, path: string, status: number, text: string) => Error;
  decide: (executions: Listed[], policy: Policy, now: number) => Fate[];
  Metrics: new () => Metrics;
  Rescue: new (of: {
    api: Api;
    metrics: Metrics;
    report: (left: Fate[]) => Promise<void>;
    policy: Policy;
    now?: () => number;
    log?: (line: string) => void;
  }) => Rescue;
  serve: (port: number, metrics: Metrics, isAlive: () => boolean) => Server;
};

/** A time as n8n writes it, in seconds. */
export const at = (second: number): string => new Date(1000 * second).toISOString();
export const POLICY: Policy = { tag: 'rescue', atOnce: 2, maxTries: 3, backoff: 60_000, maxAge: 1e6, long: 1e6 };
