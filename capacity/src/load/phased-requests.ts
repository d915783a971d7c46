import type { PhaseRecord } from '../model/step.js';
import type { Phase, Slo } from '../model/plan.js';
import { Column, Requests } from './requests.js';
import type { RequestSample } from './samples.js';

/** The requests of a burst, in total and by phase. */
export class PhasedRequests extends Requests {
  private readonly byPhase: Requests[];
  /** End of each correct answer, warm-up included, in milliseconds since the epoch. */
  private readonly servedAt = new Column();

  /** @param serviceSeconds see Requests */
  constructor(
    serviceSeconds: Record<string, number>,
    slo: Slo,
    private readonly phases: Phase[],
  ) {
    super(serviceSeconds, slo);
    this.byPhase = phases.map(() => new Requests(serviceSeconds, slo));
  }

  override add(sample: RequestSample, measured: boolean, rate = 0): void {
    super.add(sample, measured);
    if (sample.correct) this.servedAt.push(sample.endedAt);
    if (measured) this.byPhase[rate]?.add(sample, true);
  }

  /**
   * The result of each phase. A request belongs to the phase in which it was sent, however late it ended. `served` counts the
   * correct answers that ended during the phase.
   * @param measuredFrom beginning of the first phase, in milliseconds since the epoch
   */
  summarisePhases(measuredFrom: number): PhaseRecord[] {
    let from = 0;
    return this.phases.map(({ name, rate, seconds }, i) => {
      const { answered, failed, failures, latency, refusedP50 } = this.byPhase[i]!.summary(0);
      const to = from + seconds;
      const refusals = refusedP50 !== undefined && { refusedP50 };
      const [begin, end] = [from, to].map((at) => measuredFrom + 1000 * at);
      const served = this.servedAt.values.filter((at) => at >= begin! && at < end!).length;
      const record = { name, rate, from, to, answered, served, failed, failures, latency, ...refusals };
      from = to;
      return record;
    });
  }
}
