import { sum } from 'simple-statistics';
import { formatNumber } from '../core/formats.js';
import type { LoadPlan, RatesOf } from '../model/plan.js';

/** An arithmetic upper bound of a rate, shown beside the measured rate. */
export interface Bound {
  /** Executions or requests per second. */
  rate: number;
  /** How the bound was computed, as `10 slots ÷ 5 s`. */
  formula: string;
}

/**
 * Slots ÷ execution time (Little 1961): the most executions per second that can end, however fast the machine.
 * @returns undefined if executions take no time
 */
export function slotBound(slots: number, executionSeconds: number): Bound | undefined {
  if (executionSeconds <= 0) return undefined;
  return { rate: slots / executionSeconds, formula: `${slots} slots ÷ ${executionSeconds} s` };
}

/**
 * Clients ÷ service time: the most requests per second from clients that each wait for their answer.
 * @returns undefined if requests take no time
 */
export function clientBound(clients: number, serviceSeconds: number): Bound | undefined {
  if (serviceSeconds <= 0) return undefined;
  return { rate: clients / serviceSeconds, formula: `${clients} clients ÷ ${serviceSeconds} s` };
}

/** Clients of a closed loop that drive a load. */
export const countClients = (
  { clients, clientsPerSecond = 0 }: RatesOf<'closed'>,
  { serviceSeconds }: Pick<LoadPlan, 'serviceSeconds'>,
): number => clients + Math.ceil(clientsPerSecond * Math.max(0, ...Object.values(serviceSeconds)));

/** Why a configuration's slots are too few for a target; both in executions per second (see `slotBound`). */
export const shortOfSlots = (bound: number, target: number): string =>
  `its slots allow ${formatNumber(bound)}/s (slots ÷ execution time), but the target needs ${formatNumber(target)}/s`;

/**
 * Returns the mean of a time over the arrivals of a load, with three significant digits. In a mix, slots and clients are held
 * for the mean time of its requests, not for that of the slowest.
 * @param seconds by workload
 */
export function meanSeconds({ parts }: Pick<LoadPlan, 'parts'>, seconds: Record<string, number>): number {
  const weight = sum(parts.map((p) => p.weight));
  return Number((sum(parts.map((p) => p.weight * (seconds[p.workload] ?? 0))) / weight).toPrecision(3));
}

/** Whether n8n answers before the work is done: then clients that wait for answers would flood it. */
export const acknowledges = ({ custom, serviceSeconds, executionSeconds }: LoadPlan): boolean =>
  custom?.responseMode === 'onReceived' ||
  Object.entries(executionSeconds).some(([workload, seconds]) => seconds > (serviceSeconds[workload] ?? 0));
