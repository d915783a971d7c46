import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { IDataObject } from 'n8n-workflow';
import { now, toMicroseconds, yieldToEventLoop } from '../shared/clock';

/** The part of an n8n deployment that a process is. `EXECUTIONS_PROCESS=own` forks an `own-child` for each execution. */
export type Component = 'main' | 'worker' | 'webhook' | 'own-child' | 'unknown';

/** The process that did the work, and its state. A type, because an interface is not assignable to `IDataObject`. */
export type Identity = {
  host: string;
  pid: number;
  component: Component;
  /** `unknown` if the process was not started by the n8n package. */
  n8nVersion: string;
  nodeVersion: string;
  heapUsedBytes: number;
  /** V8's heap limit: `--max-old-space-size`, or V8's default. */
  heapLimitBytes: number;
  rssBytes: number;
  /**
   * Time of one turn of the event loop (one `setImmediate`) in milliseconds. It is measured once, now: nothing runs in the
   * background between executions.
   */
  eventLoopLagMs: number;
};

/** Measures the identity of this process. Takes one turn of the event loop. */
export async function measureIdentity(): Promise<Identity & IDataObject> {
  const asked = now();
  await yieldToEventLoop();
  const eventLoopLagMs = toMicroseconds(now() - asked);
  const { heapUsed, rss } = process.memoryUsage();
  return {
    host: hostname(),
    pid: process.pid,
    ...detectProgram(),
    nodeVersion: process.versions.node,
    heapUsedBytes: heapUsed,
    heapLimitBytes: getHeapStatistics().heap_size_limit,
    rssBytes: rss,
    eventLoopLagMs,
  };
}

let cached: { component: Component; n8nVersion: string } | undefined;

function detectProgram(): { component: Component; n8nVersion: string } {
  cached ??= {
    component: detectComponent(process.argv),
    n8nVersion: findN8nVersion(process.argv[1], require.main?.filename),
  };
  return cached;
}

/** The component that a command line starts: `n8n`, `n8n start`, `n8n worker …`, `n8n webhook …`. */
export function detectComponent(argv: readonly string[]): Component {
  const script = basename(argv[1] ?? '');
  if (script === 'WorkflowRunnerProcess.js') return 'own-child';
  if (script !== 'n8n') return 'unknown';
  const command = argv[2];
  if (command === undefined || command === 'start' || command.startsWith('-')) return 'main';
  return command === 'worker' || command === 'webhook' ? command : 'unknown';
}

/** The version in the package.json of the `n8n` package that holds one of these files. */
export function findN8nVersion(...files: Array<string | undefined>): string {
  for (const file of files) {
    if (!file || !existsSync(file)) continue;
    let folder = dirname(realpathSync(file));
    while (folder !== dirname(folder)) {
      const manifest = readManifest(join(folder, 'package.json'));
      if (manifest?.name === 'n8n' && manifest.version) return manifest.version;
      folder = dirname(folder);
    }
  }
  return 'unknown';
}

function readManifest(path: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
}
