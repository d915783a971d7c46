import type { Choice } from '../model/plan.js';
import type { Workflow } from '../workflow/file.js';
import { shareLost, type Gain, type Gains } from './gains.js';
import type { Cost, Place } from './rule.js';
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
  /** The same choice measured on an example; undefined where its cost is not one of capacity, or it was not measured. */
  measured?: MeasuredCost;
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
 * What a workflow does that costs capacity, memory or safety, the most expensive first.
 * @param gains what each choice costs, measured on examples; undefined: nothing was measured
 */
export function checkWorkflow(workflow: Workflow, gains: Gains | undefined): Finding[] {
  const findings = RULES.flatMap((rule): Finding[] => {
    const places = rule.find(workflow);
    if (places.length === 0) return [];
    const { id, title, cost, why, change, measuredAs } = rule;
    const gain = gains?.gains.find((g) => g.rule === (measuredAs ?? id));
    const fixable = workflow.nodes.some((node) => rule.fix?.(node) !== undefined);
    const measured = gain && { measured: measuredOf(gain, measuredAs) };
    return [{ rule: id, title, cost, places, why, change, fixable, ...measured }];
  });
  return findings.sort((a, b) => (b.measured?.share ?? 0) - (a.measured?.share ?? 0));
}

/** Whether one choice costs a larger share of the executions per second than allowed. */
export const costsMore = (findings: Finding[], most: number): boolean =>
  findings.some(({ measured }) => measured !== undefined && measured.share > most);

/** The choices of workflows whose cost in capacity was measured, the most expensive first. */
export const choicesOf = (workflows: Workflow[], gains: Gains | undefined): Choice[] =>
  workflows
    .flatMap((workflow) => checkWorkflow(workflow, gains))
    .flatMap(({ rule, title, places, measured, change }): Choice[] => {
      if (!measured || measured.share === 0) return [];
      const nodes = places.flatMap(({ node }) => (node === undefined ? [] : [node]));
      return [{ rule, title, nodes, share: measured.share, change }];
    })
    .sort((a, b) => b.share - a.share);

const measuredOf = (gain: Gain, example: string | undefined): MeasuredCost => ({
  before: gain.before.perSecond,
  after: gain.after.perSecond,
  share: shareLost(gain),
  ...(example !== undefined && { example }),
});
