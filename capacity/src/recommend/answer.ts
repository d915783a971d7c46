import { upperEnd } from '../judge/sustained.js';
import { formatNumber, formatRate, sentence } from '../core/formats.js';
import type { Bottleneck } from '../judge/bottleneck/find.js';
import { LIMIT_NAMES } from '../judge/bottleneck/limit.js';
import { findLoadBottleneck } from '../judge/knee.js';
import { overloadClause } from '../judge/overload.js';
import type { RunRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { LoadAnswer, LoadVerdict, RunVerdict } from '../model/verdict.js';
import { DEFAULT_HEADROOM } from '../plan/rates.js';
import type { RecordedRun } from '../record/recorder.js';
import { adviceOf } from './advice.js';
import { firstChangeFor } from './first-change.js';
import { changeText } from './variables.js';

/** What the runs of an operator are planned with: the busiest hour has four times the mean. */
const PEAK = 4;
const DAY_SECONDS = 86_400;

/** The answer for each load of a run: one line, and what follows from it. */
export const answerLoads = (
  { run, samples }: Pick<RecordedRun, 'run' | 'samples'>,
  { loads }: RunVerdict,
): LoadAnswer[] => loads.map((load) => answerLoad(load, run, samples));

function answerLoad(load: LoadVerdict, run: RunRecord, samples: Sample[]): LoadAnswer {
  const { deployment } = run;
  const { verdict, capacity } = load;
  const limit = findLoadBottleneck(deployment, load, samples);
  const change = firstChangeFor(deployment, load, samples);
  const details = [
    ...(verdict === 'CAPACITY' ? [perDay(capacity!)] : []),
    ...(limit ? [sentence(limit.text)] : []),
    ...(change ? [`First change: ${changeText(change, limit?.text)}`] : []),
    ...adviceOf(run),
  ];
  return { load: load.load, verdict, headline: composeHeadline(load, limit), details };
}

function composeHeadline(load: LoadVerdict, limit: Bottleneck | undefined): string {
  const { verdict, capacity, overload, conclusion } = load;
  const held = capacity ?? 0;
  const beyond = overload ? `; ${overloadClause(overload, held)}` : '';
  if (verdict !== 'CAPACITY') return `${conclusion}${verdict === 'FAIL' && overload ? '' : beyond}`;
  const first = limit?.candidates[0];
  const by = first?.reached ? `, limited by ${LIMIT_NAMES[first.limit]}` : '';
  const died = (load.saturationDeaths ?? []).map((death) => `; ${death}`).join('');
  return `${formatRate(held)}${formatInterval(load)}${by}${died}${beyond}`;
}

/** The rates between which the capacity lies: the highest that is proved to hold, and the upper end. */
function formatInterval(load: LoadVerdict): string {
  const { capacity, confidence, overload } = load;
  const upper = upperEnd(load);
  if (overload?.collapsedTo !== undefined)
    return `, what is left after an overload; before it, ${formatRate(confidence?.held.rate ?? capacity!)} held`;
  return upper === undefined ? ' or more' : ` (${formatNumber(capacity!)} to ${formatNumber(upper)})`;
}

/** A capacity in executions a day, with the headroom that a target would have. */
export function perDay(capacity: number): string {
  const planned = capacity / DEFAULT_HEADROOM;
  const day = planned * DAY_SECONDS;
  return `With headroom ${DEFAULT_HEADROOM}: ${formatRate(planned)}, about ${people(day)} executions a day at a constant rate, ${people(day / PEAK)} with a ${PEAK}x peak`;
}

/** A large number with two significant digits: `4.2 million`, `350,000`. */
function people(value: number): string {
  const rounded = Number(value.toPrecision(2));
  return rounded >= 1e6 ? `${rounded / 1e6} million` : rounded.toLocaleString('en');
}
