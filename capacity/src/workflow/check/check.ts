import type { Choice } from '../../model/run.js';
import { activeNodes, type Workflow } from '../file.js';
import { withoutUnreachableNodes } from './reachable.js';
import { findDifferences, type Circumstances } from './circumstances.js';
import { memoryCost, shareLost, type Gain, type Gains } from './gains.js';
import type { Cost, Place, Rule } from './rule.js';
import { RULES } from './rules.js';

/** A choice in a workflow, and its cost. */
export interface Finding {
  rule: string;
  title: string;
  cost: Cost;
  places: Place[];
  why: string;
  change: string;
  /** Whether `--fix` changes it in at least one of the places. */
  fixable: boolean;
  /** Cost of the same choice on an example in such a deployment; undefined if it was not measured in one. */
  measured?: MeasuredCost;
  /** MiB for each concurrent execution, measured on an example in such a deployment; 0 if runs with and without it overlap. */
  memoryMib?: number;
  /** Differences from the deployment in which the choice was measured; undefined if there are none, or it was never measured. */
  unlike?: string[];
}

/** Executions per second of an example with the choice and without it. */
export interface MeasuredCost {
  before: number;
  after: number;
  /** Share of the executions per second that it costs, 0 to 1. */
  share: number;
  /** The rule whose example was measured, if it is another rule. */
  example?: string;
}

/**
 * Finds the choices of a workflow that cost capacity, memory or safety in a deployment, the most expensive first. A choice that
 * costs nothing there, or that no production execution reaches, is left out. A cost is given only if it was measured in such a
 * deployment.
 * @param gains measured costs of the choices on examples
 */
export function checkWorkflow(whole: Workflow, gains: Gains, here: Circumstances): Finding[] {
  const workflow = withoutUnreachableNodes(whole);
  const findings = RULES.flatMap((rule): Finding[] => {
    const places = rule.applies?.(here) === false ? [] : rule.find(workflow, here);
    if (places.length === 0) return [];
    const { id, title, cost, why } = rule;
    const change = rule.changeIn?.(here) ?? rule.change;
    const fixable = activeNodes(workflow).some((node) => rule.fix?.(node) !== undefined);
    return [{ rule: id, title, cost, places, why, change, fixable, ...findCost(rule, gains, here) }];
  });
  return findings.sort((a, b) => (b.measured?.share ?? 0) - (a.measured?.share ?? 0));
}

/** The cost of a choice if it was measured in such a deployment, else the differences from the measured deployment. */
function findCost(
  { id, measuredAs, isolates }: Rule,
  gains: Gains,
  here: Circumstances,
): Pick<Finding, 'measured' | 'memoryMib' | 'unlike'> {
  const gain = gains.gains.find((g) => g.rule === (measuredAs ?? id));
  const memory = gains.memory.find((g) => g.rule === id);
  if (!gain && !memory) return {};
  const differences = findDifferences(here, gains.where, isolates === true);
  if (differences.length > 0) return { unlike: differences };
  return {
    ...(gain && { measured: toMeasuredCost(gain, measuredAs) }),
    ...(memory && { memoryMib: memoryCost(memory) }),
  };
}

/** Whether one choice costs a larger share of the executions per second than allowed. */
export const hasCostAbove = (findings: Finding[], most: number): boolean =>
  findings.some(({ measured }) => measured !== undefined && measured.share > most);

/**
 * The choices of workflows that cost capacity, the most expensive first. Those that were measured only in another deployment
 * come last, without a cost.
 */
export const rankChoices = (workflows: Workflow[], gains: Gains, here: Circumstances): Choice[] =>
  workflows
    .flatMap((workflow) => checkWorkflow(workflow, gains, here))
    .flatMap(({ rule, title, places, measured, unlike: differences, change }): Choice[] => {
      const nodes = places.flatMap(({ node }) => (node === undefined ? [] : [node]));
      if (differences) return [{ rule, title, nodes, unlike: differences, change }];
      return measured && measured.share > 0 ? [{ rule, title, nodes, share: measured.share, change }] : [];
    })
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0));

const toMeasuredCost = (gain: Gain, example: string | undefined): MeasuredCost => ({
  before: gain.before.perSecond,
  after: gain.after.perSecond,
  share: shareLost(gain),
  ...(example !== undefined && { example }),
});
