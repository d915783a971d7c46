import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { machineMemoryBytes } from '../core/memory.js';
import type { Progress } from '../core/progress.js';
import type { Plan } from '../model/plan.js';
import type { DeploymentRecord } from '../model/run.js';
import { describeRates } from '../plan/kinds.js';
import type { Where } from '../provision/choose.js';
import { scratchFolder } from '../provision/leftovers.js';
import { touchesOf } from '../provision/touches.js';
import { expectedSeconds } from './expected-time.js';
import { notesOn } from './notes.js';

/** What a run would do. */
export interface DryRun {
  versions: { n8n: string; helm?: string; chart?: string };
  deployment: Omit<DeploymentRecord, 'limits'>;
  /** Memory of this machine in bytes; undefined if n8n is deployed elsewhere. */
  memoryBytes?: number;
  loads: string[];
  rates: string;
  /** About how long the measurement takes, installs excluded. */
  seconds: number;
  touches: string[];
  /** Why the rates cannot hold, or cannot be proved, as far as arithmetic shows it. */
  notes: string[];
}

/**
 * Checks a plan as a run does, and deploys nothing. Helm is installed if it is missing.
 * @throws what a run throws before it starts anything
 */
export async function dryRun(plan: Plan, { name, provisioner }: Where, progress: Progress): Promise<DryRun> {
  const { versions, record } = await provisioner.prepare(plan, progress);
  return {
    versions,
    deployment: record,
    ...(name === 'process' && { memoryBytes: machineMemoryBytes() }),
    loads: plan.loads.map((load) => load.name),
    rates: describeRates(plan.rates),
    seconds: expectedSeconds(plan),
    touches: touchesOf(name),
    notes: notesOn(plan, record),
  };
}

/** What a command that measures several deployments would do. */
export interface DryPlan {
  n8n: string[];
  /** What would be measured, or is left out and why. */
  items: { name: string; text?: string; leftOut?: string }[];
  /** What is driven, in words. */
  driven: string;
  /** About how long it takes at most, installs excluded. */
  seconds: number;
  touches: string[];
}

/** Runs `work` with a folder that is removed afterwards, for the values that a dry run renders. */
export async function withScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await scratchFolder();
  try {
    return await work(join(folder, 'dry-run'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
