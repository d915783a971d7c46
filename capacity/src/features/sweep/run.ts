import { closedLoopOf, listedRates, searchOf } from '../../plan/kinds.js';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import type { SweepPlan, SweepOutcome, SweepRecord } from './record.js';
import type { Generator } from '../../model/generator.js';
import type { Noise } from '../../model/run.js';
import { mean, sum } from 'simple-statistics';
import { CannotRecord, EnvironmentFault, messageOf, NotReady } from '../../core/errors.js';
import { installedGenerator, measuredGenerator } from '../../run/generator-here.js';
import { carryOut } from '../../run/run.js';
import { nextForFront, nextForTarget, type Candidate, type Next } from './judge/explore.js';
import { judgeRun } from '../../judge/run.js';
import { sustainedRate } from '../../judge/sustained.js';
import { describeConfiguration } from './plan/configurations.js';
import type { Plan } from '../../model/plan.js';
import type { Where } from '../../provision/choose.js';
import { readRun } from '../../record/recorder.js';
import { redactedPlan } from '../../plan/redact.js';
import { mergedValues } from '../../chart/merged-values.js';
import type { Progress } from '../../core/progress.js';
import { ensureHelm } from '../../tools/programs.js';
import { prepareCandidates, requiredRate, type ReadyCandidate } from './candidates.js';
import { SweepFolder } from './folder.js';
import { measuredCandidates, readNoise, tieBand } from './outcomes.js';

/**
 * Measures the configurations of a plan, in an order that finds the answer early, and records each as its own run. Outcomes
 * that the folder holds are not measured again. Leaves nothing running.
 * @throws UsageError before anything starts if the plan cannot run, Interrupted if the user ended it
 */
export async function sweep(plan: SweepPlan, path: string, where: Where, progress: Progress): Promise<void> {
  const helm = await ensureHelm(progress);
  const { name, provisioner } = where;
  const installed = await installedGenerator(where, progress);
  const given = (await mergedValues(helm, plan.measure.values)) as { executions?: { mode?: string } };
  const folder = new SweepFolder(path);
  const mode = given.executions?.mode ?? 'regular';
  const { ready, excluded } = await progress
    .during(`preparing ${plan.name}`, () => prepareCandidates(plan, mode, provisioner, folder, progress))
    .catch(async (error: unknown) => {
      await folder.takeBack();
      throw error;
    });
  const target = requiredRate(plan.measure);
  const outcomes = await folder.begin({
    tool: 'n8n-capacity sweep',
    startedAt: new Date().toISOString(),
    plan: { ...plan, measure: redactedPlan(plan.measure) },
    provisioner: name,
    conditions: await readConditions(plan, given, ready),
    ...(target !== undefined && { target }),
    candidates: ready.map((r) => r.candidate),
    excluded,
  });
  const { generator } = await measuredGenerator(installed, progress);
  // Runs that an environment fault prevented are tried again.
  const done = outcomes.filter((o) => o.verdict !== 'INCONCLUSIVE' || o.loadSeconds > 0);
  const run = new Sweep(plan, folder, ready, done, generator, progress);
  await run.all();
}

/** See `conditionsSchema`. Manifests that cannot be read were refused before. */
async function readConditions(
  { measure }: SweepPlan,
  given: object,
  ready: ReadyCandidate[],
): Promise<SweepRecord['conditions']> {
  const manifests = measure.foreign && 'manifests' in measure.foreign ? measure.foreign.manifests : undefined;
  const hash = createHash('sha256').update(JSON.stringify(given));
  if (manifests !== undefined) hash.update(await readFile(manifests));
  return {
    values: hash.digest('hex'),
    n8n: [...new Set(ready.map(({ prepared }) => prepared.versions.n8n))].sort(),
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
  };
}

class Sweep {
  private readonly candidates: Candidate[];
  private noise: Noise | undefined;

  constructor(
    private readonly plan: SweepPlan,
    private readonly folder: SweepFolder,
    private readonly ready: ReadyCandidate[],
    private readonly outcomes: SweepOutcome[],
    private readonly generator: Generator | undefined,
    private readonly progress: Progress,
  ) {
    this.candidates = ready.map(({ candidate }) => ({ ...candidate, cost: candidate.cost.perHour }));
  }

  async all(): Promise<void> {
    for (;;) {
      await this.measureNoise();
      for (let next = this.next(); next; next = this.next()) {
        await this.measure(next);
        await this.measureNoise();
      }
      const winner = this.findUnprovenWinner();
      if (!winner) return;
      await this.hold(winner);
    }
  }

  private next(): Next {
    const { candidates } = this;
    const measured = measuredCandidates(this.outcomes);
    if (this.plan.explore === 'front' && requiredRate(this.plan.measure) !== undefined)
      return nextForTarget(candidates, measured);
    if (this.plan.explore === 'front' && !listedRates(this.plan.measure.rates))
      return nextForFront(candidates, measured, tieBand(this.plan, this.noise));
    const done = new Set(measured.map((m) => m.id));
    const open = candidates.find((c) => !done.has(c.id));
    return open && { id: open.id };
  }

  /** The cheapest configuration that meets the target; undefined once it has held for longer. */
  private findUnprovenWinner(): ReadyCandidate | undefined {
    if (requiredRate(this.plan.measure) === undefined) return undefined;
    const met = new Set(
      measuredCandidates(this.outcomes)
        .filter((m) => m.meets)
        .map((m) => m.id),
    );
    const [cheapest] = this.candidates.filter((c) => met.has(c.id)).sort((a, b) => a.cost - b.cost);
    if (!cheapest || this.outcomes.some((o) => o.id === cheapest.id && o.purpose === 'hold')) return undefined;
    return this.ready.find(({ candidate }) => candidate.id === cheapest.id);
  }

  private async measure({ id, challenge }: NonNullable<Next>): Promise<void> {
    const ready = this.ready.find(({ candidate }) => candidate.id === id)!;
    const search = searchOf(ready.plan.rates);
    const plan: Plan =
      challenge !== undefined && search ? { ...ready.plan, rates: { ...search, challenge } } : ready.plan;
    const done = new Set(this.outcomes.map((o) => o.id)).size;
    this.progress.line(
      `[${done + 1}/${this.ready.length}] ${describeConfiguration(ready.candidate)}${this.timeLeft(done)}`,
    );
    await this.run(ready, plan, 'measure', this.folder.runOf(id, 'measure'));
  }

  /** Repeats the first configuration with a capacity, at that capacity, until the noise is known. */
  private async measureNoise(): Promise<void> {
    const { noise: planned } = this.plan;
    const first = this.outcomes.find((o) => o.purpose === 'measure' && o.capacity > 0);
    if (!first || this.noise || planned === undefined || 'band' in planned) return;
    const ready = this.ready.find(({ candidate }) => candidate.id === first.id)!;
    const times = () => this.outcomes.filter((o) => o.purpose === 'noise').length;
    while (times() < planned.runs) {
      this.progress.line(
        `noise: ${describeConfiguration(ready.candidate)} at its capacity, ${times() + 1} of ${planned.runs}`,
      );
      const plan = planNoiseRun(ready.plan, first.capacity);
      await this.run(ready, plan, 'noise', this.folder.noiseRun(times() + 1));
    }
    this.noise = await readNoise(this.folder, this.outcomes);
  }

  private async hold(ready: ReadyCandidate): Promise<void> {
    this.progress.line(`hold: ${describeConfiguration(ready.candidate)} for ${this.plan.holdSeconds} s at the target`);
    const plan = { ...ready.plan, stepSeconds: this.plan.holdSeconds };
    await this.run(ready, plan, 'hold', this.folder.runOf(ready.candidate.id, 'hold'));
  }

  private async run(
    { candidate: { id }, prepared }: ReadyCandidate,
    plan: Plan,
    purpose: SweepOutcome['purpose'],
    path: string,
  ): Promise<void> {
    const started = Date.now();
    const outcome = await this.recorded(path, plan, prepared).catch((error: unknown) => {
      this.progress.signal.throwIfAborted();
      const verdict = verdictForError(error);
      if (!verdict) throw error;
      this.progress.line(`  ${verdict}: ${messageOf(error).split('\n')[0]}`);
      return { verdict, capacity: 0, conclusion: messageOf(error), loadSeconds: 0 };
    });
    const challenge = searchOf(plan.rates)?.challenge;
    const stopped = challenge !== undefined && outcome.capacity < challenge;
    const whole: SweepOutcome = {
      id,
      purpose,
      ...outcome,
      ...(stopped && { challenge }),
      seconds: (Date.now() - started) / 1000,
    };
    this.outcomes.push(whole);
    await this.folder.outcome(whole);
  }

  private async recorded(
    path: string,
    plan: Plan,
    prepared: ReadyCandidate['prepared'],
  ): Promise<Pick<SweepOutcome, 'verdict' | 'capacity' | 'conclusion' | 'loadSeconds'>> {
    const { generator, noise, progress } = this;
    await carryOut({
      tool: 'n8n-capacity sweep',
      plan,
      prepared,
      folder: path,
      resume: true,
      progress,
      ...(generator && { generator }),
      ...(noise && { noise }),
    });
    const recorded = await readRun(path);
    const { steps } = recorded;
    // Not by the steps alone: a death between two of them counts.
    const [load] = judgeRun(recorded).loads;
    return {
      verdict: load!.verdict === 'CAPACITY' ? 'PASS' : load!.verdict,
      capacity: sustainedRate(load!),
      conclusion: load!.conclusion,
      loadSeconds: sum(steps.map((s) => (s.measuredTo - s.measuredFrom) / 1000 + plan.warmupSeconds)),
    };
  }

  /** Estimated from the mean so far. An upper bound, because some configurations may turn out to be unnecessary. */
  private timeLeft(done: number): string {
    const took = this.outcomes.filter((o) => o.purpose !== 'noise').map((o) => o.seconds);
    if (took.length === 0) return '';
    return `, ${Math.ceil((mean(took) * (this.ready.length - done)) / 60)} min left at most`;
  }
}

/**
 * The plan of a run that measures noise: one step with as many clients as are busy at the configuration's capacity (Little
 * 1961).
 * @param capacity of the configuration, in executions per second
 */
function planNoiseRun(plan: Plan, capacity: number): Plan {
  if (closedLoopOf(plan.rates)) return plan;
  const service = Math.max(...plan.loads.flatMap((load) => Object.values(load.serviceSeconds)));
  const { p50, p95, p99 } = plan.slo;
  const answer = service + (p50 ?? p95 ?? p99 ?? 0);
  return { ...plan, rates: { kind: 'closed', clients: Math.max(1, Math.ceil(capacity * answer)) } };
}

/**
 * Judges a configuration whose run ended with an error. FAIL: it did not become ready. INCONCLUSIVE: a fault of the environment.
 * Undefined: the error ends the sweep.
 */
export function verdictForError(error: unknown): 'FAIL' | 'INCONCLUSIVE' | undefined {
  if (error instanceof CannotRecord) return undefined;
  if (error instanceof NotReady) return 'FAIL';
  return error instanceof EnvironmentFault ? 'INCONCLUSIVE' : undefined;
}
