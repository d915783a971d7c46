import { chain, code, node, noOp, webhook, type Chain, type Example } from './examples.js';

/** A choice that costs memory while executions run or wait. */
export interface MemoryExample extends Example {
  /** Concurrent executions: arrivals per second × duration of an execution. */
  held: number;
}

/** A workflow, and the flags of `validate` that drive it at a rate. */
export interface MemoryWorkflow {
  workflow: Chain & { settings?: { saveDataSuccessExecution: 'none' } };
  flags: string[];
}

const SECONDS = 10;
const PER_SECOND = 20;
/** Files per second. A file needs much memory, so a few are enough. */
const FILES_PER_SECOND = 2;
const FILE_MIB = 2;

const rateFlags = (rate: number) => [
  ...['--rates', String(rate), '--execution-time', `${SECONDS}s`, '--warmup', `${SECONDS + 5}s`],
  // Without the overload protection, so that n8n accepts all executions.
  ...['--set', 'overload.enabled=false'],
];
const wait = node('Wait', 'wait', 1.1, { amount: SECONDS, unit: 'seconds' });
const atOnce = webhook(2.1, { responseMode: 'onReceived' });

/** A text file that the later nodes hold. */
const file = {
  ...chain(
    atOnce,
    code(`return [{ json: { text: 'x'.repeat(${FILE_MIB} * 2 ** 20) } }];`, 'runOnceForAllItems', 'Text'),
    node('Convert to File', 'convertToFile', 1.1, { operation: 'toText', sourceProperty: 'text' }),
    wait,
  ),
  // Otherwise the content of files in memory is written to the database.
  settings: { saveDataSuccessExecution: 'none' as const },
};

/** The workflows of the examples, by their names. */
export const MEMORY_WORKFLOWS: Record<string, MemoryWorkflow> = {
  'answer after a wait of 10 s': {
    workflow: chain(webhook(2.1), wait),
    flags: [...rateFlags(PER_SECOND), '--service-time', `${SECONDS}s`],
  },
  'answer before a wait of 10 s': { workflow: chain(atOnce, wait), flags: rateFlags(PER_SECOND) },
  'answer, and no wait': { workflow: chain(atOnce, noOp()), flags: rateFlags(PER_SECOND) },
  'file of 2 MiB in memory': {
    workflow: file,
    flags: [...rateFlags(FILES_PER_SECOND), '--set', 'binaryData.mode=default'],
  },
  'file of 2 MiB on disk': {
    workflow: file,
    flags: [...rateFlags(FILES_PER_SECOND), '--set', 'binaryData.mode=filesystem'],
  },
};

/** Each rule with the workflows that show its memory cost. */
export const MEMORY_EXAMPLES: MemoryExample[] = [
  {
    rule: 'wait-memory',
    held: PER_SECOND * SECONDS,
    before: 'answer before a wait of 10 s',
    after: 'answer, and no wait',
  },
  {
    rule: 'holds-request',
    held: PER_SECOND * SECONDS,
    before: 'answer after a wait of 10 s',
    after: 'answer before a wait of 10 s',
  },
  {
    rule: 'binary-data',
    held: FILES_PER_SECOND * SECONDS,
    before: 'file of 2 MiB in memory',
    after: 'file of 2 MiB on disk',
  },
];
