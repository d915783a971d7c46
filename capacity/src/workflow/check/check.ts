import type { Choice } from '../../model/run.js';
import { activeNodes, type Workflow } from '../file.js';
import { reachable } from './reachable.js';
import { unlike, type Circumstances } from './circumstances.js';
import { memoryCost, shareLost, type Gain, type Gains } from './gains.js';
import type { Cost, Place, Rule } from './rule.js';
import { RULES } from './rules.js';

/** A choice that a workflow makes, and what it costs. */
export interface Finding {
  rule: string;
  title: string;
  cost: Cost;
  places: Place[];
  why: string;
  change: string;
  /** Whether `--fix` changes it in at least one of the places. */
  fixable: boolean;
  /** The same choice measured on an example in such a deployment; undefined where it was not measured in one. */
  measured?: MeasuredCost;
  /** MiB for each execution in n8n at a time, measured on an example in such a deployment; 0: not shown. */
  memoryMib?: number;
  /** In what the deployment differs from the one in which the choice was measured; undefined where it was measured, or nowhere. */
  unlike?: string[];
}

/** Executions per second of an example with the choice and without it. */
export interface MeasuredCost {
  before: number;
  after: number;
  /** Share of the executions per second that it costs, 0 to 1. */
  share: number;
  /** The rule whose example it was, where it is another one. */
  example?: string;
}

/**
 * What a workflow does that costs capacity, memory or safety in a deployment, the most expensive first. A choice that costs
 * nothing there, or that no production execution reaches, is left out; a cost is given only where it was measured in such a deployment.
 * @param gains what each choice costs, measured on examples
 */
export function checkWorkflow(whole: Workflow, gains: Gains, here: Circumstances): Finding[] {
  const workflow = reachable(whole);
  const findings = RULES.flatMap((rule): Finding[] => {
    const places = rule.applies?.(here) === false ? [] : rule.find(workflow, here);
    if (places.length === 0) return [];
    const { id, title, cost, why } = rule;
    const change = rule.changeIn?.(here) ?? rule.change;
    const fixable = activeNodes(workflow).some((node) => rule.fix?.(node) !== undefined);
    return [{ rule: id, title, cost, places, why, change, fixable, ...costOf(rule, gains, here) }];
  });
  return findings.sort((a, b) => (b.measured?.share ?? 0) - (a.measured?.share ?? 0));
}

/** What a choice costs, where it was measured in such a deployment; else in what this one differs. */
function costOf(
  { id, measuredAs, isolates }: Rule,
  gains: Gains,
  here: Circumstances,
): Pick<Finding, 'measured' | 'memoryMib' | 'unlike'> {
  const gain = gains.gains.find((g) => g.rule === (measuredAs ?? id));
  const memory = gains.memory.find((g) => g.rule === id);
  if (!gain && !memory) return {};
  const differences = unlike(here, gains.where, isolates === true);
  if (differences.length > 0) return { unlike: differences };
  return { ...(gain && { measured: measuredOf(gain, measuredAs) }), ...(memory && { memoryMib: memoryCost(memory) }) };
}

/** Whether one choice costs a larger share of the executions per second than allowed. */
export const costsMore = (findings: Finding[], most: number): boolean =>
  findings.some(({ measured }) => measured !== undefined && measured.share > most);

/**
 * The choices of workflows that cost capacity, the most expensive first; those whose cost was measured, but not in such a
 * deployment, come last, without it.
 */
export const choicesOf = (workflows: Workflow[], gains: Gains, here: Circumstances): Choice[] =>
  workflows
    .flatMap((workflow) => checkWorkflow(workflow, gains, here))
    .flatMap(({ rule, title, places, measured, unlike: differences, change }): Choice[] => {
      const nodes = places.flatMap(({ node }) => (node === undefined ? [] : [node]));
      if (differences) return [{ rule, title, nodes, unlike: differences, change }];
      return measured && measured.share > 0 ? [{ rule, title, nodes, share: measured.share, change }] : [];
    })
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0));

const measuredOf = (gain: Gain, example: string | undefined): MeasuredCost => ({
  before: gain.before.perSecond,
  after: gain.after.perSecond,
  share: shareLost(gain),
  ...(example !== undefined && { example }),
});
