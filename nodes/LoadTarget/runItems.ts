import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { CeilingError, ceilings } from './ceilings/ceiling';
import { findBudget, type Reservation } from './ceilings/execution';
import { now, Slices, StoppedError, throwIfStopped, toMicroseconds } from '../shared/clock';
import { readFanOutDepth } from './fanOutDepth';
import type { Operation, Run } from './operation';
import { operations } from './operations';
import { readChoice } from '../shared/parameters';

const names = Object.keys(operations) as Array<keyof typeof operations>;

/** An input item whose parameters were read and whose costs were reserved. */
interface Task {
  itemIndex: number;
  name: string;
  operation: Operation;
  parameters: unknown;
  reserved: Reservation;
}

/** Called once for each item, in any order; not for items that did not start because the execution was stopped. */
interface Listener {
  done(itemIndex: number, output: INodeExecutionData[]): void;
  /** Throws if this failure fails the whole execution. */
  failed(itemIndex: number, error: unknown): void;
}

/** Reads all items, then runs them one after another. When it ends or fails, nothing stays reserved. */
export async function runItems(context: IExecuteFunctions, listener: Listener): Promise<void> {
  // n8n below 1.0 has no getExecutionCancelSignal, the oldest 0.x no getExecutionId.
  const signal = context.getExecutionCancelSignal?.();
  const budget = findBudget(context.getExecutionId?.());
  const run = { time: budget.time, signal, helpers: context.helpers };
  const { length } = context.getInputData();
  const slices = new Slices(signal);

  const tasks: Task[] = [];
  try {
    const counted = budget.reserve({ inputItems: length });
    counted.inputItems.use();
    counted.close();
  } catch (error) {
    return listener.failed(0, error);
  }
  try {
    for (let itemIndex = 0; itemIndex < length; itemIndex++) {
      try {
        const task = read(context, itemIndex);
        tasks.push({ ...task, reserved: budget.reserve(task.operation.costs(task.parameters)) });
      } catch (error) {
        listener.failed(itemIndex, error);
      }
      // Only every 100 items, so that a node with few items starts to work at once.
      if (itemIndex % 100 === 99 && !(await continuesAfterPause(slices))) return;
    }
    let timeLeft = true;
    for (const task of tasks) {
      try {
        if (!timeLeft)
          throw new CeilingError(ceilings.seconds, 'The time of the execution was used up by earlier items');
        const { itemIndex, reserved } = task;
        const depth = () => readFanOutDepth(context, itemIndex);
        const output = await perform(task, { ...run, reserved, fanOutDepth: depth }, () => (timeLeft = false));
        listener.done(itemIndex, output);
      } catch (error) {
        // n8n marks a stopped execution as canceled only if no node fails afterwards.
        if (error instanceof StoppedError) return;
        listener.failed(task.itemIndex, error);
      }
    }
  } finally {
    for (const { reserved } of tasks) reserved.close();
  }
}

/** Whether the execution goes on after a pause: n8n marks a stopped one as canceled only if no node fails afterwards. */
const continuesAfterPause = (slices: Slices): Promise<boolean> =>
  slices.pause().then(
    () => true,
    (error: unknown) => {
      if (error instanceof StoppedError) return false;
      throw error;
    },
  );

function read(context: IExecuteFunctions, itemIndex: number): Omit<Task, 'reserved'> {
  const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex);
  const name = readChoice('Operation', parameter('operation'), names);
  const operation = operations[name];
  return { itemIndex, name, operation, parameters: operation.read(parameter) };
}

/**
 * Runs one item. The time that it took counts as used, even if it fails, and the rest of its reservation is returned. Time
 * beyond the reservation also counts, unless the operation has charged it. `overdrawn` is called if that exceeds
 * the ceiling.
 */
async function perform(
  { name, operation, parameters }: Task,
  run: Run,
  overdrawn: () => void,
): Promise<INodeExecutionData[]> {
  throwIfStopped(run.signal);
  const start = now();
  const spentBefore = run.time.spent;
  try {
    const output = await operation.execute(parameters, run);
    if (Array.isArray(output)) return output;
    const { identity, ...proof } = output;
    return [{ json: { operation: name, ...proof, tookMs: toMicroseconds(now() - start), identity } }];
  } finally {
    const tookMs = now() - start;
    run.reserved.time.use(tookMs);
    run.reserved.close();
    const uncharged = spentBefore + tookMs - run.time.spent;
    if (uncharged > 0 && run.time.spend(uncharged) > 0) overdrawn();
  }
}
