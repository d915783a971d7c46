import type { Component } from '../../model/events.js';
import { fitLine, type Line, type LinePoint } from '../../stats/linear.js';
import type { ObservedStep, ObservedWork } from './observed.js';

/** Different rates that the interval of a line needs at least. */
export const LEAST_RATES = 3;

/** Quantities that grow with the rate: `intercept` is the use without load, `slope` is the cost of one execution. */
export interface Costs {
  /** Highest rate among the steps, in executions per second. */
  most: number;
  components: Map<Component, ComponentCost>;
  /** Transactions and rows of PostgreSQL, per execution; undefined if they were not recorded. */
  transactions?: Line;
  rowsWritten?: Line;
  redisCommands?: Line;
  /** Connection-seconds. */
  connections?: Line;
  /** CPU-seconds of k6 per request, if it shares the machine. */
  generator?: Line;
}

/** Costs of an execution in all instances of a component together. */
export interface ComponentCost {
  /** CPU-seconds. */
  cpu: Line;
  /** CPU-seconds of main threads, and of the processes that they started; undefined if they were not recorded. */
  thread?: Line;
  child?: Line;
  /** Bytes in one instance, by its executions in flight; undefined if memory was not recorded. */
  memory?: Line;
}

/**
 * Fits the cost of one execution: a line through the means of steps below the limit. Each step is one point, since the seconds of
 * a step are not independent.
 * @param replicas of each component
 * @returns undefined if the steps have fewer different rates than `leastRates`
 */
export function fitCosts(
  steps: ObservedStep[],
  replicas: (component: Component) => number,
  leastRates: number,
): Costs | undefined {
  if (new Set(steps.map((s) => s.step.rate ?? s.rate)).size < leastRates) return undefined;
  const line = (of: (s: ObservedStep) => number | undefined, x = (s: ObservedStep) => s.rate): Line | undefined => {
    const points = steps.flatMap((s): LinePoint[] => {
      const y = of(s);
      return y === undefined ? [] : [{ x: x(s), y, weight: s.seconds }];
    });
    return points.length < leastRates ? undefined : fitLine(points);
  };
  const known = [...new Set(steps.flatMap((s) => [...s.components.keys()]))];
  const components = known.flatMap((component): [Component, ComponentCost][] => {
    const of = (key: keyof ObservedWork) => (s: ObservedStep) => s.components.get(component)?.[key];
    const cpu = line(of('cores'));
    if (!cpu) return [];
    const parts = {
      thread: line(of('threadCores')),
      child: line(of('childCores')),
      memory: line(of('memoryBytes'), (s) => s.inFlight / replicas(component)),
    };
    return [[component, { cpu, ...withoutUndefined(parts) }]];
  });
  return {
    most: Math.max(...steps.map((s) => s.rate)),
    components: new Map(components),
    ...withoutUndefined({
      transactions: line((s) => s.transactions),
      rowsWritten: line((s) => s.rowsWritten),
      redisCommands: line((s) => s.redisCommands),
      connections: line((s) => s.connections?.mean),
      generator: line((s) => s.generatorCores),
    }),
  };
}

/** Without the keys that are undefined. */
const withoutUndefined = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
