import { sum } from 'simple-statistics';
import type { Cost, Prices } from '../model/cost.js';
import type { DeploymentRecord } from '../model/run.js';

/** Cost of a deployment's limits at these prices; instances without limits are named, and cost nothing. */
export function computeCost({ instances }: Pick<DeploymentRecord, 'instances'>, prices: Prices): Cost {
  const cores = sum(instances.map((i) => (i.limits.cpuMillis ?? 0) / 1000));
  const memoryGib = sum(instances.map((i) => (i.limits.memoryBytes ?? 0) / 2 ** 30));
  return {
    cores,
    memoryGib,
    perHour: costPerHour({ cores, memoryGib }, prices),
    unlimited: instances
      .filter(({ limits }) => limits.cpuMillis === undefined || limits.memoryBytes === undefined)
      .map(({ name }) => name),
  };
}

/** Cost per hour, in the prices' currency. */
export const costPerHour = ({ cores, memoryGib }: Pick<Cost, 'cores' | 'memoryGib'>, prices: Prices): number =>
  cores * prices.cpuHour + memoryGib * prices.memoryGibHour;

/** Cost of a million executions at a rate in executions per second; Infinity at a rate of 0. */
export const costPerMillion = (cost: Cost, rate: number): number => (cost.perHour / (rate * 3600)) * 1e6;
