/**
 * Turns settings into k6 scenarios. Imports nothing from k6.
 *
 * Open model: a step is a warm-up and a measured part at the same arrival rate, back to back. Each is a
 * constant-arrival-rate scenario, so that k6's own metrics (dropped_iterations) show the phase, too. It begins early by the
 * lead of its arrivals (see arrivals.js). A gap follows, in which the deployment drains. The rates of a burst have their own
 * durations and follow one another without a gap, after one warm-up at the first rate.
 *
 * Closed model: one constant-vus scenario, in which each request gets its phase when it starts (see workload.js). Two scenarios
 * would double the clients while the requests of the warm-up finish.
 */

import { drawArrivals, deriveSeed } from './arrivals.js';

/** Added to the time-out, so that k6 records a request that timed out instead of interrupting it. */
const GRACE_SECONDS = 2;

/**
 * @param loads    `{ name, weight, service }` of each workload; `service` is the service time in seconds
 * @param settings the result of readSettings
 * @param keep     takes a name and a function that returns a list, and returns that list or one like it. In k6 it shares the
 *   list, so that not every virtual user draws and sorts the times of all arrivals again
 * @returns k6's option `scenarios`, and `due`: the arrivals of each scenario, in the format of `toTimetable`; empty in the closed
 *   model
 */
export function buildScenarios(loads, settings, keep = (_, make) => make()) {
  return settings.model === 'closed'
    ? { scenarios: closedScenario(loads[0], settings), due: {} }
    : openScenarios(loads, settings, keep);
}

function openScenarios(loads, settings, keep) {
  const { timeout } = settings;
  const total = loads.reduce((sum, { weight }) => sum + weight, 0);
  const parts = buildParts(loads, total, settings, keep);
  // The first part begins late enough for its iterations to start early.
  const begin = Math.max(...parts.map(({ start, lead }) => lead - start), 0);
  const result = {};
  for (const { name, load, step, phase, start, seconds, rate, timeUnitSeconds, isRecorded, lead, wait } of parts) {
    const tags = { workload: load.name, step: String(step), rate: settings.rates[step], phase };
    if (isRecorded) {
      result[name] = { ...recordedScenario(settings, begin + start, seconds), tags };
      continue;
    }
    result[name] = {
      executor: 'constant-arrival-rate',
      rate,
      timeUnit: `${timeUnitSeconds}s`,
      startTime: formatMs(begin + start - lead),
      duration: formatMs(seconds),
      gracefulStop: formatMs(timeout + GRACE_SECONDS + wait),
      ...countVirtualUsers(rate / timeUnitSeconds, seconds, wait, load, total, settings),
      tags,
    };
  }
  return {
    scenarios: result,
    due: Object.fromEntries(
      parts.map(({ name, count, at, lead, isRecorded, rate, timeUnitSeconds }) => [
        name,
        { count, at, lead, ...(!isRecorded && { perSecond: rate / timeUnitSeconds }) },
      ]),
    ),
  };
}

/** Arrivals as a list that k6 can share: `lead` and `wait`, then the times. */
const toList = ({ lead, wait, times }) => [lead, wait, ...times];

/** The arrivals from such a list: their number (`count`), the time of each (`at`), `lead` and `wait`. */
const toTimetable = (list) => ({ count: list.length - 2, at: (i) => list[i + 2], lead: list[0], wait: list[1] });

/** The warm-up and the measured part of each rate and load, with their arrivals; `start` in seconds. */
function buildParts(loads, total, settings, keep) {
  const parts = [];
  let start = 0;
  settings.rates.forEach((rateText, step) => {
    const { warmup, duration, gap } = stepTimes(step, settings);
    for (const load of loads) {
      const { rate, timeUnitSeconds } = toK6Rate(rateText, load.weight, total);
      const { recorded } = settings;
      const part = (phase, from, seconds) => {
        const name = `${load.name}_${step}_${phase}`;
        const seed = deriveSeed(settings.seed, name);
        const isRecorded = phase === 'measure' && recorded !== undefined;
        const even = settings.arrivals === 'even';
        const drawn = () => toList(drawArrivals(rate / timeUnitSeconds, seconds, seed, even));
        const due = isRecorded
          ? { count: recorded.length, at: (i) => recorded[i], lead: 0, wait: 0 }
          : toTimetable(keep(name, drawn));
        parts.push({ name, load, step, phase, start: from, seconds, rate, timeUnitSeconds, isRecorded, ...due });
      };
      if (warmup > 0) part('warmup', start, warmup);
      part('measure', start + warmup, duration);
    }
    start += warmup + duration + gap;
  });
  return parts;
}

/**
 * The scenario of recorded arrivals, which have no constant rate. Clients take one arrival after the other and sleep until it is
 * due. An arrival that is taken too late is dropped (see workload.js), as k6 drops an iteration without an idle client.
 */
function recordedScenario({ recorded, maxVUs, timeout }, start, seconds) {
  return {
    executor: 'shared-iterations',
    vus: Math.min(maxVUs || recorded.length, recorded.length),
    iterations: recorded.length,
    startTime: formatMs(start),
    maxDuration: formatMs(seconds + timeout + GRACE_SECONDS),
    gracefulStop: formatMs(timeout + GRACE_SECONDS),
  };
}

function stepTimes(step, { warmup, duration, durations, gap }) {
  return durations ? { warmup: step === 0 ? warmup : 0, duration: durations[step], gap: 0 } : { warmup, duration, gap };
}

function closedScenario(load, { clients, warmup, duration, timeout }) {
  return {
    [`${load.name}_0`]: {
      executor: 'constant-vus',
      vus: clients,
      duration: formatMs(warmup + duration),
      gracefulStop: formatMs(timeout + GRACE_SECONDS),
      tags: { workload: load.name, step: '0', clients: String(clients), phase: warmup > 0 ? 'warmup' : 'measure' },
    },
  };
}

/**
 * The arrival rate of one workload in k6's format: whole iterations in a time unit. The unit is chosen so that the rate stays
 * exact: 0.5/s is 1 in 2 s. k6 spaces iterations evenly, whatever the unit.
 * @param rateText rate of all workloads per second
 * @param weight   weight of this workload, of `total`
 */
export function toK6Rate(rateText, weight = 1, total = 1) {
  const [rate, weightWhole, totalWhole] = [Number(rateText), weight, total].map((n) => Math.round(n * 1e6));
  const rateDivisor = greatestCommonDivisor(rate, 1e6);
  const shareDivisor = greatestCommonDivisor(weightWhole, totalWhole);
  const numerator = (rate / rateDivisor) * (weightWhole / shareDivisor);
  const denominator = (1e6 / rateDivisor) * (totalWhole / shareDivisor);
  const divisor = greatestCommonDivisor(numerator, denominator);
  return { rate: numerator / divisor, timeUnitSeconds: denominator / divisor };
}

function greatestCommonDivisor(a, b) {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/**
 * The number of virtual users to create before the step, and at most. k6 gives each iteration to the virtual user that has been
 * idle longest, and drops an iteration if none is idle, even if it may create more. So enough are created beforehand for
 * answers that take 2 s longer than by design, or one for each request of a shorter step. They are not enough for the whole
 * time-out, as each takes 0.4 MB.
 *
 * A connection then idles about 2 s between requests, less than Node's keep-alive of 5 s. So it is reused, as a proxy in front
 * of n8n reuses its own: n8n spends more on a new connection than on a refusal. A burst is expected to delay answers, so there
 * it is 10 s instead of 2 s, except in an overload, whose clients are bounded. Each iteration that waits until it is due takes a
 * virtual user, too.
 */
function countVirtualUsers(perSecond, seconds, wait, { service, weight }, total, { timeout, maxVUs, durations }) {
  const most = maxVUs ? Math.ceil((maxVUs * weight) / total) : Math.ceil(perSecond * (timeout + wait)) + 10;
  const spare = durations && !maxVUs ? 10 : 2;
  return {
    preAllocatedVUs: Math.min(most, Math.ceil(perSecond * Math.min(service + spare + wait, seconds)) + 5),
    maxVUs: most,
  };
}

function formatMs(seconds) {
  return `${Math.round(seconds * 1000)}ms`;
}
