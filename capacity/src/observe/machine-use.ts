import type { HostLook, Sample } from '../model/sample.js';
import type { MachineUse } from '../model/step.js';

/** Cores that are busier than this have no room: a process that uses one takes it from another process. */
export const FULL_SHARE = 0.9;

/** Above this share of the cores, what others took may move the capacity by more than a search is precise. */
const TAKEN_SHARE = 0.1;

/** Whether other processes had cores that the deployment lacked. */
export const othersTookCores = ({ takenCores, cores }: MachineUse): boolean => takenCores > TAKEN_SHARE * cores;

/**
 * Who used the cores of the machine that runs both the deployment and k6 between two times; undefined where its cores were not
 * seen twice. Counters of processes lag by a tick, so differences are added with their sign.
 */
export function machineUse(samples: Sample[], from: number, to: number): MachineUse | undefined {
  const looks = samples.flatMap((s) => (s.host && s.at >= from && s.at <= to ? [s.host] : []));
  const spans = looks.slice(1).map((now, i) => spanBetween(looks[i]!, now));
  const total = sum(spans, (s) => s.total);
  if (total <= 0) return undefined;
  const { cores } = looks[0]!;
  const inCores = (seconds: number) => Math.max(0, (seconds / total) * cores);
  const full = spans.filter((s) => s.busy >= FULL_SHARE * s.total);
  return {
    cores,
    busyCores: inCores(sum(spans, (s) => s.busy)),
    otherCores: inCores(sum(spans, (s) => s.others)),
    takenCores: inCores(sum(full, (s) => s.others)),
  };
}

interface Span {
  /** Core-seconds in all, in which the cores worked, and in which they worked for others than this tool and the deployment. */
  total: number;
  busy: number;
  others: number;
}

function spanBetween(before: HostLook, now: HostLook): Span {
  const busy = now.busySeconds - before.busySeconds;
  return { total: now.totalSeconds - before.totalSeconds, busy, others: busy - (now.ownSeconds - before.ownSeconds) };
}

const sum = (spans: Span[], of: (span: Span) => number): number => spans.reduce((all, span) => all + of(span), 0);
