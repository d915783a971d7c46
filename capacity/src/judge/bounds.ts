/** Arithmetic bound of a rate, to stand beside the measured figure. */
export interface Bound {
  /** Executions or requests per second. */
  rate: number;
  formula: string;
}

/** Slots ÷ execution time (Little 1961): no more executions can end, however fast the machine. */
export function slotBound(slots: number, executionSeconds: number): Bound | undefined {
  if (executionSeconds <= 0) return undefined;
  return { rate: slots / executionSeconds, formula: `${slots} slots ÷ ${executionSeconds} s` };
}

/** Clients ÷ service time: no more requests can be made by clients that wait for their answers. */
export function clientBound(clients: number, serviceSeconds: number): Bound | undefined {
  if (serviceSeconds <= 0) return undefined;
  return { rate: clients / serviceSeconds, formula: `${clients} clients ÷ ${serviceSeconds} s` };
}

/** Why slots that allow so much (see `slotBound`) do not suffice for a target, both in executions per second. */
export const shortOfSlots = (bound: number, target: number): string =>
  `its slots allow ${rounded(bound)}/s (slots ÷ execution time), and ${rounded(target)}/s are needed`;

const rounded = (rate: number) => Number(rate.toPrecision(3));
