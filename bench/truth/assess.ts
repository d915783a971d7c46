import { median } from 'simple-statistics';
import { upperEnd } from '../../capacity/src/judge/sustained.js';
import { QUICK_PRECISION } from '../../capacity/src/plan/rates.js';
import { FAMILIES } from './families.js';
import type { Family, LeakAnswers } from './family.js';
import { planFor, validateVirtually } from './run.js';

/** Criteria that the answers must meet in each family. */
export const CRITERIA = {
  falsePass: 0.05,
  falseFail: 0.1,
  inconclusive: 0.5,
  within: 0.9,
  error: 0.1,
  quickRatio: 0.65,
};
/** The precision of `make validate` (Makefile). */
const QUICK = `${100 * QUICK_PRECISION}%`;
/** Number of answers of each kind in each family. */
export const RUNS = 100;

/** The error rates of the answers about one family of deployments. */
export interface Answers {
  family: string;
  what: string;
  /** Share of PASS at 1.1 times the true capacity; at half of the scale if no rate holds. */
  falsePass: number;
  /** Share of FAIL at the true capacity ÷ 1.1; undefined if no rate holds. */
  falseFail?: number;
  /** Share of INCONCLUSIVE verdicts where FAIL would be wrong. Only for soaks; a target may be tried for longer. */
  inconclusive?: number;
  /** Share of the searches that ended within 10 % of the true capacity; if no rate holds, share that found no capacity. */
  within: number;
  /** Median of the capacity found ÷ the true one; undefined if no rate holds. */
  ratio?: number;
  /** Median number of steps of a search. */
  steps: number;
  /** Median duration of a search, in seconds. */
  seconds: number;
  /** Share of the searches at the precision of `make validate` in which neither bound is wrong by more than 10 %. */
  quick: number;
  /** Median of the capacity found by these searches ÷ the true one; undefined if no rate holds. */
  quickRatio?: number;
  /** Median duration of these searches, in seconds. */
  quickSeconds: number;
  met: boolean;
}

/** Assesses the answers in each family. The result depends only on the number of runs. */
export async function assess(runs: number, families = FAMILIES): Promise<Answers[]> {
  const answers: Answers[] = [];
  for (const family of families) answers.push(await assessFamily(family, runs));
  return answers;
}

async function assessFamily(family: Family, runs: number): Promise<Answers> {
  const targets = await askTargets(family, runs);
  const searches = await assessSearches(family, runs);
  const quick = await assessQuickSearches(family, runs);
  const met =
    targets.falsePass <= CRITERIA.falsePass &&
    (targets.falseFail ?? 0) <= CRITERIA.falseFail &&
    (targets.inconclusive ?? 0) <= CRITERIA.inconclusive &&
    searches.within >= CRITERIA.within &&
    quick.quick >= CRITERIA.within &&
    (quick.quickRatio ?? 1) >= CRITERIA.quickRatio;
  return { family: family.name, what: family.what, ...targets, ...searches, ...quick, met };
}

const isNeverSustained = (family: Family) => family.capacity(seedScale(1)) === 0;
const shareTrue = (of: boolean[]) => of.filter(Boolean).length / of.length;
const listSeeds = (runs: number) => Array.from({ length: runs }, (_, i) => i + 1);

/** Measures how often a target above the true capacity passes, and how often one below it fails. */
export async function askTargets(
  family: Family,
  runs: number,
): Promise<Pick<Answers, 'falsePass' | 'falseFail' | 'inconclusive'>> {
  if (family.soaks) return soakAnswers(await family.soaks(runs));
  const [passes, fails]: [boolean[], boolean[]] = [[], []];
  for (const seed of listSeeds(runs)) {
    const scale = seedScale(seed);
    const truth = family.capacity(scale);
    const verdictAt = async (rate: number) => {
      const plan = planFor(family.slo, { target: `${rate.toFixed(3)}/s`, headroom: '1' });
      return (await validateVirtually(family, scale, plan, seed)).verdict;
    };
    passes.push((await verdictAt(isNeverSustained(family) ? scale / 2 : truth * (1 + CRITERIA.error))) === 'PASS');
    if (!isNeverSustained(family)) fails.push((await verdictAt(truth / (1 + CRITERIA.error))) === 'FAIL');
  }
  return { falsePass: shareTrue(passes), ...(fails.length > 0 && { falseFail: shareTrue(fails) }) };
}

const soakAnswers = ({ leaking, sound }: LeakAnswers) => ({
  falsePass: shareTrue(leaking.map((verdict) => verdict === 'PASS')),
  falseFail: shareTrue(sound.map((verdict) => verdict === 'FAIL')),
  inconclusive: shareTrue(sound.map((verdict) => verdict === 'INCONCLUSIVE')),
});

/** Assesses searches at the default precision. */
export async function assessSearches(
  family: Family,
  runs: number,
): Promise<Pick<Answers, 'within' | 'ratio' | 'steps' | 'seconds'>> {
  const [within, ratios, steps, seconds]: [boolean[], number[], number[], number[]] = [[], [], [], []];
  for (const seed of listSeeds(runs)) {
    const scale = seedScale(seed);
    const truth = family.capacity(scale);
    const run = await validateVirtually(family, scale, planFor(family.slo), seed);
    const found = run.verdict === 'CAPACITY' ? (run.capacity ?? 0) : 0;
    const error = CRITERIA.error + 1e-9;
    within.push(truth === 0 ? found === 0 : found >= truth * (1 - error) && found <= truth * (1 + error));
    if (truth > 0) ratios.push(found / truth);
    steps.push(run.steps.length);
    seconds.push(run.seconds);
  }
  return {
    within: shareTrue(within),
    ...(ratios.length > 0 && { ratio: median(ratios) }),
    steps: median(steps),
    seconds: median(seconds),
  };
}

/** Assesses searches at the precision of `make validate`. */
async function assessQuickSearches(
  family: Family,
  runs: number,
): Promise<Pick<Answers, 'quick' | 'quickRatio' | 'quickSeconds'>> {
  const [right, ratios, seconds]: [boolean[], number[], number[]] = [[], [], []];
  for (const seed of listSeeds(runs)) {
    const scale = seedScale(seed);
    const truth = family.capacity(scale);
    const run = await validateVirtually(family, scale, planFor(family.slo, { precision: QUICK }), seed);
    const [held, broken] = run.verdict === 'CAPACITY' ? [run.capacity ?? 0, upperEnd(run) ?? Infinity] : [0, 0];
    const [most, least] = [truth * (1 + CRITERIA.error), truth * (1 - CRITERIA.error)];
    right.push(truth === 0 ? held === 0 : held > 0 && held <= most && broken >= least);
    if (truth > 0) ratios.push(held / truth);
    seconds.push(run.seconds);
  }
  return {
    quick: shareTrue(right),
    ...(ratios.length > 0 && { quickRatio: median(ratios) }),
    quickSeconds: median(seconds),
  };
}

/** Rate from 20 to 80 per second, spread evenly on a logarithmic scale by the golden ratio. The search tries none of them first. */
const seedScale = (seed: number) => 20 * 4 ** ((seed * 0.6180339887) % 1);
