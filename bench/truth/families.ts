import { DEFAULT_SLO } from '../../capacity/src/plan/slo.js';
import type { Random } from '../../capacity/src/stats/random.js';
import { simulateCapacity } from './capacity.js';
import type { Family, Outcome } from './family.js';
import { askSoaks } from './leak.js';

const SLO = DEFAULT_SLO;
/** True capacity of families that sustain no rate. They are asked for a target at half of their scale. */
const noCapacity = () => 0;

/** A single server, first come, first served; `service` draws service times with a mean of 1. */
function singleServer(name: string, what: string, service: (random: Random) => number, slo = SLO): Family {
  return {
    name,
    what,
    slo,
    capacity: (rate) => simulateCapacity(service, rate, slo),
    start: (rate, random) => {
      const serve = createQueue(rate, random, service);
      return { request: (at) => answeredAndCompleted(serve(at)) };
    },
  };
}

const deterministic = singleServer('deterministic', 'each request takes the same time', () => 1);

export const exponential = singleServer('exponential', 'exponential service times', drawExponentialService);

/** Sigma of log-normal service times: a coefficient of variation of 1.3. With a larger one, one request blocks all for a second. */
const SIGMA = 1;
const heavyTailed = singleServer('heavy-tailed', 'one request of 100 takes 6 times the mean (log-normal)', (random) =>
  Math.exp(SIGMA * random.normal() - SIGMA ** 2 / 2),
);

/** Answers at once and works later. Its backlog is bounded exactly if the arrival rate is below the service rate (Loynes 1962). */
export const worksLater: Family = {
  name: 'works later',
  what: 'acknowledges, then works: one server behind the answers',
  acknowledges: true,
  slo: SLO,
  capacity: (rate) => rate,
  start: (rate, random) => {
    const serve = createQueue(rate, random, drawExponentialService);
    return { request: (at) => ({ answeredAt: at + drawQuickAnswer(random), completedAt: serve(at) }) };
  },
};

/** Every request leaves one item behind. Items are cleaned up at a fixed rate per second, and each remaining item slows every answer. */
const slowingDown: Family = {
  name: 'slows down',
  what: 'more is left behind than is cleaned up, and slows every answer',
  slo: SLO,
  capacity: (collected) => collected,
  start: (collected, random) => {
    let [left, last] = [0, 0];
    return {
      request: (at) => {
        // A pause without load cleans up everything.
        left = at - last > 0.9 ? 1 : Math.max(0, left - collected * (at - last)) + 1;
        last = at;
        return answeredAndCompleted(at + drawQuickAnswer(random) + 0.005 * left);
      },
    };
  },
};

/** Leaks memory with each request; the memory is full after 20,000. A search sees this, a target is too short, so soaks are run. */
const leak: Family = {
  name: 'leak',
  what: 'leaks: its memory is full within the horizon of a soak',
  soaks: askSoaks,
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => {
    let requests = 0;
    return {
      request: (at) => {
        requests++;
        return answeredAndCompleted(at + drawQuickAnswer(random));
      },
      memory: () => Math.min(1, 0.3 + (0.7 * requests) / 20_000),
    };
  },
};

/** Uses 95 % of its memory limit from the start, like n8n shortly before an OOM kill. */
const full: Family = {
  name: 'memory full',
  what: 'uses 95 % of its memory limit',
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => ({ request: (at) => answeredAndCompleted(at + drawQuickAnswer(random)), memory: () => 0.95 }),
};

/** Requests per second served by a simulated deployment whose fault is not its speed. */
const FAST = 300;

/** Stalls for 4 s of each minute. */
const stall: Family = {
  name: 'stall',
  what: 'stands still for 4 s of each minute',
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => {
    const offset = 60 * random.uniform();
    const serve = createQueue(FAST, random, drawExponentialService);
    return {
      request: (at) => {
        const into = (at + offset) % 60;
        return answeredAndCompleted(serve(at + (into < 4 ? 4 - into : 0)) + drawQuickAnswer(random));
      },
    };
  },
};

/** One of a hundred accepted executions never ends. */
const lossy: Family = {
  name: 'lossy',
  what: '1 % of the accepted executions never end',
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => ({
    request: (at) => {
      const answeredAt = at + drawQuickAnswer(random);
      return { answeredAt, completedAt: random.uniform() < 0.01 ? Infinity : answeredAt };
    },
  }),
};

/** Twice the errors that the objective allows, at every rate. */
const errors: Family = {
  name: 'errors',
  what: 'fails twice as often as the objective allows',
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => ({
    request: (at) => {
      const outcome = answeredAndCompleted(at + drawQuickAnswer(random));
      return random.uniform() < 2 * SLO.errors ? { ...outcome, failure: 'HTTP 500' } : outcome;
    },
  }),
};

/** One request of 15 is slow, so the p95 misses its objective at every rate. */
const slowShare: Family = {
  name: 'one slow in 15',
  what: 'one request of 15 takes 1.2 s',
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => ({
    request: (at) => answeredAndCompleted(at + drawQuickAnswer(random) + (random.uniform() < 1 / 15 ? 1.2 : 0)),
  }),
};

/** One client of 10 waits 3 s for its connection. */
const connecting: Family = {
  name: 'slow to connect',
  what: 'one client of 10 waits 3 s for its connection',
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => ({
    request: (at) => {
      const connectSeconds = random.uniform() < 0.1 ? 3 : 0.001;
      return answeredAndCompleted(at + connectSeconds + drawQuickAnswer(random));
    },
  }),
};

/** Is restarted every 40 s; requests in the next 0.5 s wait. */
const restarts: Family = {
  name: 'restarts',
  what: 'is restarted each 40 s; requests wait for 0.5 s',
  slo: SLO,
  capacity: noCapacity,
  start: (_, random) => {
    const offset = 40 * random.uniform();
    return {
      request: (at) => answeredAndCompleted(at + drawQuickAnswer(random) + Math.max(0, 0.5 - ((at + offset) % 40))),
      restarts: (from, to) => {
        const first = Math.ceil((from + offset) / 40) * 40 - offset;
        return Array.from({ length: Math.max(0, Math.ceil((to - first) / 40)) }, (_, i) => first + 40 * i);
      },
    };
  },
};

/** Half as fast while more than 30 requests are under way: once it falls behind, it does not recover. */
const metastable: Family = {
  name: 'metastable',
  what: 'half as fast while more than 30 requests are under way',
  slo: SLO,
  // Below half of its rate it always recovers. Above, a burst of arrivals sooner or later overloads it permanently.
  capacity: (rate) => rate / 2,
  start: (rate, random) => {
    const ends: number[] = [];
    let free = 0;
    return {
      request: (at) => {
        while (ends.length > 0 && ends[0]! <= at) ends.shift();
        const speed = ends.length > 30 ? rate / 2 : rate;
        free = Math.max(free, at) + drawExponentialService(random) / speed;
        ends.push(free);
        return answeredAndCompleted(free);
      },
    };
  },
};

/** All families of the benchmark. */
export const FAMILIES: Family[] = [
  ...[deterministic, exponential, heavyTailed, worksLater, slowingDown],
  ...[stall, leak, full, lossy, errors, slowShare, connecting, restarts, metastable],
];

/** A queue that serves first come, first served. Returns a function from a request's arrival time to the end of its service. */
export function createQueue(rate: number, random: Random, service: (random: Random) => number): (at: number) => number {
  let free = 0;
  return (at) => (free = Math.max(free, at) + service(random) / rate);
}

export function drawExponentialService(random: Random): number {
  return -Math.log(1 - random.uniform());
}

/** A log-normal latency in seconds with a median of 20 ms. */
const drawQuickAnswer = (random: Random) => 0.02 * Math.exp(0.4 * random.normal());

const answeredAndCompleted = (at: number): Outcome => ({ answeredAt: at, completedAt: at });
