import { jest } from '@jest/globals';
import { seededRandom } from '../../../capacity/src/stats/random.js';
import { Admission, LatencyLimit } from './testing.js';

/** Workers that share one CPU, and the processes that send them what they admit. */
export interface Simulated {
  /** Executions per second that the CPU takes. */
  perSecond: number;
  /** Milliseconds for which an execution waits besides: a share of them, all if it is not given. */
  wait?: { milliseconds: number; share?: number };
  processes?: number;
  slots?: number;
  adaptive?: boolean;
  seed?: number;
}

interface Request {
  sentAt: number;
  leave?: (isServed: boolean) => void;
  isOver?: boolean;
  isGone?: boolean;
}

const TICK = 10;
/** Milliseconds after which a client gives up. Its place is kept for as long again. */
const TIMEOUT = 5000;

/** Queue mode in virtual time: random arrivals, real admissions, first in, first out at the workers. Needs Jest's fake timers. */
export function simulateWorkers({ processes = 2, slots = 20, adaptive = true, seed = 1, ...given }: Simulated) {
  let { perSecond, wait }: Pick<Simulated, 'perSecond' | 'wait'> = given;
  const random = seededRandom(seed);
  let now = 0;
  // As the chart computes it.
  const full = Math.ceil((1.5 * slots) / processes);
  const admissions = Array.from({ length: processes }, () => {
    const admission = new Admission({ most: full, line: 100, longest: 2000, now: () => now });
    if (adaptive) admission.concurrency = new LatencyLimit({ full, now: () => now });
    return admission;
  });
  const queue: Request[] = [];
  const active = new Map<Request, number>();
  let cpuFreeAt = 0;
  let count = { sent: 0, answered: 0, executed: 0, refused: 0, failed: 0 };
  let times: number[] = [];
  let open: Request[] = [];

  function send() {
    const request: Request = { sentAt: now };
    open.push(request);
    count.sent++;
    const of = admissions[Math.floor(random.uniform() * processes)]!;
    of.arrive(
      (leave) => {
        request.leave = leave;
        if (!request.isGone) queue.push(request);
      },
      () => {
        if (!request.isOver && !request.isGone) count.refused++;
        request.isOver = true;
      },
    );
  }

  function start() {
    while (active.size < slots && queue.length > 0) {
      const work = (1000 / perSecond) * (0.5 + random.uniform());
      cpuFreeAt = Math.max(now, cpuFreeAt) + work;
      const waits = wait && random.uniform() < (wait.share ?? 1) ? wait.milliseconds : 0;
      active.set(queue.shift()!, cpuFreeAt + waits);
    }
  }

  function end() {
    for (const [request, at] of active) {
      if (at > now) continue;
      active.delete(request);
      count.executed++;
      request.leave!(!request.isGone);
      if (!request.isGone) {
        count.answered++;
        times.push(now - request.sentAt);
      }
      request.isOver = true;
    }
  }

  function giveUp() {
    const patience = TIMEOUT + (wait?.milliseconds ?? 0);
    for (const request of open) {
      if (!request.isOver && !request.isGone && now - request.sentAt > patience) {
        request.isGone = true;
        count.failed++;
      }
      if (request.isGone && request.leave && now - request.sentAt > 2 * patience) request.leave(false);
    }
    open = open.filter(({ isOver, sentAt }) => !isOver && now - sentAt <= 2 * patience + TICK);
  }

  /**
   * Simulates `seconds` of random arrivals, or of clients that each wait for their answer. Returns the counts per second, the 95th
   * percentile of the answered requests' times, and the limits.
   */
  const come = (seconds: number, rate: number, clients = 0) => {
    count = { sent: 0, answered: 0, executed: 0, refused: 0, failed: 0 };
    times = [];
    for (const until = now + 1000 * seconds; now < until; now += TICK) {
      for (let due = random.uniform(); due < (rate * TICK) / 1000; due += 1) send();
      const waiting = open.filter(({ isOver, isGone }) => !isOver && !isGone).length;
      for (let i = waiting; i < clients; i++) send();
      jest.advanceTimersByTime(TICK);
      end();
      start();
      giveUp();
    }
    const rates = Object.fromEntries(Object.entries(count).map(([name, n]) => [name, n / seconds])) as typeof count;
    const inOrder = times.sort((a, b) => a - b);
    return {
      ...rates,
      p95: inOrder[Math.floor(0.95 * inOrder.length)] ?? Infinity,
      limits: admissions.map((a) => a.concurrency.most),
    };
  }; /** Changes the executions from now on. */
  const become = (next: Pick<Simulated, 'perSecond' | 'wait'>) => void ({ perSecond, wait } = next);
  return Object.assign(come, { become });
}
