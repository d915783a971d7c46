import type { InstanceEvent } from '../../model/events.js';
import type { RunVerdict, Verdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { clockAxis, limitLine } from './plot.js';
import { allEvents, eventWord, maximum, plotOrigin } from './series.js';

const MARKS: Record<Verdict, string> = { PASS: '', FAIL: ' ✕', INCONCLUSIVE: ' ?' };

/** The parts that all plots over the whole run share. */
export interface Timeline {
  /** Start of the axis, in milliseconds since the epoch. */
  origin: number;
  axis: ReturnType<typeof clockAxis>;
  /** The measured part of each step, shaded and numbered. */
  bands: object[][];
  events: InstanceEvent[];
}

/** The steps and the events of a run, to be drawn behind its series. */
export function makeTimeline(run: RecordedRun, verdict: RunVerdict): Timeline {
  const origin = plotOrigin(run);
  const events = allEvents(run);
  const judged = verdict.loads.flatMap((l) => l.steps).sort((a, b) => a.step.index - b.step.index);
  const ends = [run.samples.at(-1)?.at ?? origin, ...events.map((e) => e.at), ...run.steps.map((s) => s.measuredTo)];
  const bands = judged.map((s) => [
    {
      name: `${s.step.index + 1}${MARKS[s.judged.verdict]}`,
      xAxis: seconds(s.step.measuredFrom, origin),
      itemStyle: { color: s.judged.verdict === 'FAIL' ? 'var(--fail-tint)' : 'var(--band)' },
      label: {
        position: 'insideTop',
        distance: 3,
        fontSize: 10,
        color: s.judged.verdict === 'FAIL' ? 'var(--fail)' : 'var(--muted)',
      },
    },
    { xAxis: seconds(s.step.measuredTo, origin) },
  ]);
  return { origin, events, bands, axis: clockAxis('time', Math.max(1, Math.ceil(seconds(maximum(ends), origin)))) };
}

/** Seconds since the start of the axis. */
export const seconds = (at: number, origin: number): number => Number(((at - origin) / 1000).toFixed(1));

/** Width of a label as a share of the axis; events that follow closer have no label. */
const LABEL_SHARE = 0.2;

/** A line at each event but restarts, with its reason. */
export function deathLines(events: InstanceEvent[], { origin, axis: { max } }: Timeline): object[] {
  let labelled = Number.NEGATIVE_INFINITY;
  return events
    .filter((e) => e.kind !== 'restarted')
    .map((e) => {
      const at = seconds(e.at, origin);
      const hasRoom = at - labelled > LABEL_SHARE * max;
      if (hasRoom) labelled = at;
      return limitLine({ xAxis: at }, hasRoom ? `✕ ${eventWord(e)}` : '', 'var(--fail)', 'solid');
    });
}

/** Restarts, as points on the axis. */
export const restartPoints = (events: InstanceEvent[], { origin }: Timeline): object[] =>
  events.filter((e) => e.kind === 'restarted').map((e) => ({ coord: [seconds(e.at, origin), 0] }));
