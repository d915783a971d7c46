import { sum } from 'simple-statistics';
import { costPerMillion } from '../../capacity/src/judge/cost.js';
import {
  front,
  nextForFront,
  nextForTarget,
  type Candidate,
  type MeasuredCandidate,
  type Next,
} from '../../capacity/src/features/sweep/judge/explore.js';
import { UNMEASURED_NOISE } from '../../capacity/src/features/sweep/judge/noise.js';
import type { Plan } from '../../capacity/src/model/plan.js';
import type { SweepOutcome } from '../../capacity/src/features/sweep/record.js';
import { DEFAULT_SLO } from '../../capacity/src/plan/slo.js';
import { measuredCandidates } from '../../capacity/src/features/sweep/outcomes.js';
import { exponential } from '../truth/families.js';
import { planFor, validateVirtually } from '../truth/run.js';

/** A cell of the grid: a configuration whose capacity is known. */
interface Cell extends Candidate {
  /** Service rate, per second. */
  served: number;
}

const WORKERS = [1, 2, 3, 4, 6, 8];
const CORES = [0.5, 1, 2, 3];
const CONCURRENCY = [2, 5, 10];
/** Prices per hour of a core and of a GiB. */
const PRICES = { core: 0.03, gib: 0.004 };

/**
 * 72 configurations of queue mode. The rate is limited by the cores of the workers, by their slots, and by the cores that all
 * executions share (webhook processors and database), whichever is lowest.
 * @param scale executions per second of a core
 */
export function createGrid(scale: number): Cell[] {
  return CONCURRENCY.flatMap((concurrency) =>
    WORKERS.flatMap((workers) =>
      CORES.map((cores): Cell => {
        const slots = (workers * concurrency) / SERVICE_SECONDS;
        const served = Math.min(workers * cores * scale, slots, SHARED_CORES * scale);
        return {
          id: `${workers} × ${cores} cores, ${concurrency}`,
          cost: workers * (cores * PRICES.core + PRICES.gib) + SHARED_CORES * PRICES.core,
          amounts: { workers, cpu: cores },
          kind: String(concurrency),
          bound: slots,
          served,
        };
      }),
    ),
  );
}

/** Seconds that an execution holds its slot. */
const SERVICE_SECONDS = 0.25;
/** Cores of the components that all executions pass through. */
const SHARED_CORES = 6;

/** The result of one sweep of the grid. */
export interface SweepResult {
  loadSeconds: number;
  configurations: number;
  /** With a target the cheapest that meets it, else the one with the lowest cost per execution; undefined if there is none. */
  winner: string | undefined;
  /** True cost of the winner: per hour, or per million executions at its true capacity. */
  cost: number;
}

/** Runs a sweep in virtual time. Measuring a configuration twice gives the same result twice. */
export async function sweepVirtually(
  cells: Cell[],
  asked: NonNullable<Parameters<typeof planFor>[1]>,
  explore: 'front' | 'all',
  seed: number,
): Promise<SweepResult> {
  const outcomes: SweepOutcome[] = [];
  const hasTarget = 'target' in asked;
  const next = (): Next => {
    const measured = measuredCandidates(outcomes);
    if (explore === 'front')
      return hasTarget ? nextForTarget(cells, measured) : nextForFront(cells, measured, UNMEASURED_NOISE);
    const open = cells[measured.length];
    return open && { id: open.id };
  };
  for (let step = next(); step; step = next()) {
    const cell = cells.find((c) => c.id === step.id)!;
    const plan = withChallenge(planFor(DEFAULT_SLO, asked), step.challenge);
    const run = await validateVirtually(exponential, cell.served, plan, seed * 1000 + cells.indexOf(cell));
    const { verdict, capacity = 0, steps } = run;
    const seconds = sum(steps.map(({ step }) => (step.measuredTo - step.measuredFrom) / 1000 + plan.warmupSeconds));
    outcomes.push({
      ...{ id: cell.id, purpose: 'measure', conclusion: '', loadSeconds: seconds, seconds, capacity },
      verdict: verdict === 'CAPACITY' ? 'PASS' : verdict,
      ...(step.challenge !== undefined && capacity < step.challenge && { challenge: step.challenge }),
    });
  }
  const best = findWinner(cells, measuredCandidates(outcomes), hasTarget);
  const cost = best && (hasTarget ? best.cost : pricePerMillion(best, exponential.capacity(best.served)));
  const loadSeconds = sum(outcomes.map((o) => o.loadSeconds));
  return { loadSeconds, configurations: outcomes.length, winner: best?.id, cost: cost ?? Infinity };
}

const withChallenge = (plan: Plan, challenge?: number): Plan =>
  challenge === undefined || plan.rates.kind !== 'search' ? plan : { ...plan, rates: { ...plan.rates, challenge } };

function findWinner(cells: Cell[], measured: MeasuredCandidate[], hasTarget: boolean): Cell | undefined {
  const cellOf = (m: MeasuredCandidate) => cells.find((c) => c.id === m.id)!;
  if (hasTarget)
    return pickCheapest(measured.filter((m) => m.meets).map((m) => ({ cell: cellOf(m), cost: cellOf(m).cost })));
  return pickCheapest(
    front(cells, measured, UNMEASURED_NOISE).map((m) => ({
      cell: cellOf(m),
      cost: pricePerMillion(cellOf(m), m.capacity),
    })),
  );
}

const pickCheapest = (all: { cell: Cell; cost: number }[]) => all.sort((a, b) => a.cost - b.cost)[0]?.cell;

const pricePerMillion = ({ cost }: Cell, rate: number) =>
  costPerMillion({ perHour: cost, cores: 0, memoryGib: 0, unlimited: [] }, rate);
