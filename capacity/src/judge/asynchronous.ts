import type { StepRecord } from '../model/step.js';
import type { Reason } from '../model/verdict.js';

/**
 * Asynchronous sub-workflows (Wait For Sub-Workflow Completion is off): their callers are answered and end, whatever becomes of
 * them. Those that began must end, as what was accepted must.
 */
export function asynchronousUnended({ executions, cut }: StepRecord): Reason[] {
  const { asynchronous, drainSeconds } = executions ?? {};
  if (!asynchronous || cut || asynchronous.completed >= asynchronous.started) return [];
  const { started, completed } = asynchronous;
  const text = `${started - completed} of ${started} executions of asynchronous sub-workflows did not end within a drain of ${drainSeconds!.toFixed(0)} s`;
  return [{ code: 'completed', clear: true, text }];
}

/** The workflow starts asynchronous sub-workflows, and none was counted. */
export function asynchronousUnseen({ executions }: StepRecord): Reason[] {
  if (!executions || executions.asynchronous === undefined || (executions.asynchronous?.started ?? 0) > 0) return [];
  const text =
    'the executions of asynchronous sub-workflows were not counted; switch Wait For Sub-Workflow Completion on, or give the metrics of all processes';
  return [{ code: 'count-unreadable', text }];
}
