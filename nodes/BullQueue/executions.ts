import type { IDataObject } from 'n8n-workflow';
import { ParameterError, formatValue } from '../shared/parameters';

const ITEMS = 'Input Items';
const SOURCE = 'Connect the n8n node with the operation Get Many of the resource Execution.';

/** An execution as n8n's public API lists it, and n8n's own node "n8n" outputs it. */
export interface Execution {
  id: string;
  /** `new`, `running`, `waiting`, `success`, `error`, `crashed`, `canceled`, or what a later n8n adds. */
  status: string;
  /** What started it: `webhook`, `trigger`, `manual`, `integrated` (a sub-workflow), … Undefined if the item lacks it. */
  mode?: string;
  workflowId: string | null;
  /** ISO 8601; null until it starts. */
  startedAt: string | null;
}

/**
 * Reads the executions of the input items. Items without any field are left out. n8n creates such an item for a node
 * without results if "Always Output Data" is on.
 * @throws ParameterError that names the item
 */
export function readExecutions(items: IDataObject[]): Execution[] {
  return items.flatMap((item, i) => (Object.keys(item).length === 0 ? [] : [readExecution(item, i)]));
}

function readExecution({ id, status, mode, workflowId, startedAt }: IDataObject, i: number): Execution {
  if (!isId(id))
    throw new ParameterError(
      ITEMS,
      `The id of input item ${i} is ${formatValue(id)}, not that of an execution`,
      SOURCE,
    );
  if (typeof status !== 'string') {
    throw new ParameterError(
      ITEMS,
      `The status of input item ${i} is ${formatValue(status)}, not that of an execution`,
      SOURCE,
    );
  }
  return {
    id: String(id),
    status,
    ...(typeof mode === 'string' && { mode }),
    workflowId: isId(workflowId) ? String(workflowId) : null,
    startedAt: typeof startedAt === 'string' ? startedAt : null,
  };
}

const isId = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || typeof value === 'number';
