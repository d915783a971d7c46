import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

import { currentScenario, currentTags } from './context.js';
import { createJudge } from './judge.js';
import { expectedAnswer } from './proof.js';
import { createSender } from './request.js';
import { buildScenarios } from './scenarios.js';
import { BadSetting, readMix, readSettings, readWebhook, serviceSeconds } from './settings.js';

const catalogue = JSON.parse(open('../workloads.json'));

/** One sample for each request: 1 if its answer carried the proof, otherwise 0. */
const answered = new Rate('answered');
/**
 * One sample for each request: milliseconds from the time at which it was due, or sent in the closed model, to the end of its
 * answer, the connection included. The tool reads nothing else about a request. The tag `fault` is set unless the answer is
 * correct: `c` and k6's error code without an answer, `refused` for a 503 with Retry-After, `s` and an unexpected status,
 * otherwise the missing part of the proof.
 */
const latency = new Trend('latency', true);
/** Milliseconds by which a request was sent after it was due. */
const lag = new Trend('lag', true);
/** When a part of a step began, in milliseconds since the epoch. */
const begun = new Gauge('begun');
/** Recorded arrivals that found no idle client. k6 also counts the dropped iterations of its arrival rates in this metric. */
const dropped = new Counter('dropped_iterations');
/** Correct answers that took longer than a limit of ABORT_SLOW; the tag `above` is its seconds. */
const slowAnswers = new Counter('slow_answers');
/** Answers of any status without the proof; the tag `fault` names the fault. Other requests with `answered` 0 got no answer. */
const wrongAnswers = new Counter('wrong_answers');

/** The `options` and the `iteration` of a script that drives one workload of the catalogue. */
export function workload(name) {
  return withOneLineErrors(() => createLoad([[name, 1]], catalogue));
}

/** The `options` and the `iteration` of a script that drives the workloads of MIX by their weights. */
export function mix() {
  return withOneLineErrors(() => createLoad(readMix(__ENV, catalogue), catalogue));
}

/** The `options` and the `iteration` for any webhook, from the environment. The token of the load targets is not sent. */
export function webhook() {
  return withOneLineErrors(() => createLoad([['webhook', 1]], { webhook: readWebhook(__ENV, open) }, { token: '' }));
}

function createLoad(pairs, entries, overrides = {}) {
  const settings = { ...readSettings(__ENV, ...pairs.map(([name]) => entries[name])), ...overrides };
  if (settings.arrivals === 'recorded') {
    settings.recorded = new SharedArray('arrivals', () => JSON.parse(open(settings.arrivalsFile)));
  }
  const loads = pairs.map(([name, weight], i) => ({
    name,
    weight,
    service: serviceSeconds(entries[name], settings.queries[i]),
    send: createSender(entries[name], settings.queries[i], settings),
    statuses: entries[name].expected?.statuses ?? { min: 200, max: 200 },
    faultOf: createJudge(
      entries[name].expected ?? expectedAnswer(name, settings.queries[i], settings.builtIn.includes(name)),
    ),
  }));
  const byName = Object.fromEntries(loads.map((load) => [load.name, load]));
  const only = loads.length === 1 ? loads[0] : undefined;
  const { scenarios: plan, due } = buildScenarios(loads, settings, (name, make) => new SharedArray(name, make));
  const enterPhase =
    settings.model === 'closed' && settings.warmup > 0 ? createPhaseSwitch(settings.warmup) : undefined;

  // Keep calls and accesses to k6's objects few: k6 interprets JavaScript, so each takes noticeable time.
  function iteration() {
    if (enterPhase) enterPhase();
    const load = only ?? byName[currentTags().workload];
    const from =
      settings.model === 'closed' ? Date.now() : waitUntilDue(due[currentScenario().name], settings.recorded);
    if (from === undefined) return;
    const response = load.send();
    const took = Date.now() - from;
    const wrong = load.faultOf(response);
    answered.add(!wrong);
    if (!wrong) return recordCorrect(load, took);
    latency.add(took, { fault: faultCode(wrong, response, load.statuses) });
    recordFailed(load.name, wrong, response);
  }

  function recordCorrect({ service }, took) {
    latency.add(took);
    for (const { seconds } of settings.abortSlow) {
      if (took > (seconds + service) * 1000) slowAnswers.add(1, { above: String(seconds) });
    }
  }

  function recordFailed(name, wrong, response) {
    if (response.status) wrongAnswers.add(1, { fault: wrong });
    // One line for each scenario shows a wrong token or an inactive workflow without flooding the log under load.
    if (currentScenario().iterationInTest === 0) console.warn(describeFault(name, wrong, response));
    if (settings.model === 'closed') sleep(settings.pause);
  }

  return {
    iteration,
    options: {
      scenarios: plan,
      thresholds: { ...buildThresholds(plan, settings.model), ...buildAbortThresholds(settings) },
      // A redirect is not the answer. Set here, because setting it with each request takes 2 µs.
      maxRedirects: 0,
      // Only the tags that the tool reads: each further tag is a column in every line of an output.
      systemTags: ['status', 'error_code', 'scenario', 'expected_response'],
      summaryTrendStats: ['count', 'avg', 'med', 'p(95)', 'p(99)', 'max'],
    },
  };
}

/**
 * Sleeps until the iteration of a scenario is due, and returns that time in milliseconds since the epoch. Returns undefined for
 * an iteration beyond the number of arrivals, or for a recorded arrival that can no longer be sent in time.
 */
export function waitUntilDue({ count, at: dueAt, lead, perSecond }, recorded) {
  const { iterationInTest, startTime } = currentScenario();
  if (iterationInTest >= count) return undefined;
  const begin = startTime + lead * 1000;
  if (iterationInTest === 0) begun.add(begin);
  const place = Math.min(count - 1, iterationInTest + countPassedArrivals(iterationInTest, startTime, perSecond));
  const at = begin + dueAt(place) * 1000;
  const wait = at - Date.now();
  if (wait > 0) sleep(wait / 1000);
  const late = Math.max(0, Date.now() - at);
  if (recorded && late > MOST_LATE_MS) {
    dropped.add(1);
    return undefined;
  }
  // The lag counts from the arrival that the iteration would have had, so that lateness of k6 itself is not hidden.
  lag.add(place === iterationInTest ? late : Math.max(0, Date.now() - begin - dueAt(iterationInTest) * 1000));
  return at;
}

/** Seconds within which k6 starts an iteration of a constant arrival rate after its time, unless it lacks CPU time. */
const PUNCTUAL_SECONDS = 0.1;

/**
 * The number of arrivals since the one with the number of this iteration. k6 numbers only the iterations that it starts. After
 * dropped iterations, each later one would be timed from an earlier arrival and seem slower than it is.
 */
function countPassedArrivals(iteration, startTime, perSecond) {
  if (perSecond === undefined) return 0;
  const behind = (Date.now() - startTime) / 1000 - iteration / perSecond;
  return behind > PUNCTUAL_SECONDS ? Math.floor(behind * perSecond) : 0;
}

/** Milliseconds after which a recorded arrival is dropped: all clients were busy until then. */
const MOST_LATE_MS = 1000;

function faultCode(wrong, { status, error_code, headers }, { min, max }) {
  if (!status) return `c${error_code}`;
  if (status === 503 && headers['Retry-After'] !== undefined) return 'refused';
  return status < min || status > max ? `s${status}` : wrong;
}

/**
 * Thresholds for the measured part of every step: all answers correct, at least one request, and none dropped. In the open model
 * they are by scenario, because k6 gives dropped_iterations no other tag.
 */
function buildThresholds(plan, model) {
  const parts =
    model === 'closed'
      ? ['{phase:measure}']
      : Object.keys(plan)
          .filter((name) => plan[name].tags.phase === 'measure')
          .map((name) => `{scenario:${name}}`);
  const result = {};
  for (const part of parts) {
    result[`answered${part}`] = ['rate==1'];
    // A threshold on a metric without samples passes, so the number of requests is checked, too.
    result[`http_reqs${part}`] = ['count>0'];
    // Always true: it makes k6's summary show the latency of the step.
    result[`http_req_duration${part}`] = ['p(95)>=0'];
    if (model === 'open') result[`dropped_iterations${part}`] = ['count==0'];
  }
  return result;
}

/**
 * Thresholds that end k6 early. One applies when too many answers are wrong, warm-up included, but not in the first seconds,
 * when a few may be chance. The others apply when too many answers of the measured part are slow.
 */
function buildAbortThresholds({ abortErrors, abortSlow, warmup }) {
  const result = {};
  if (abortErrors) {
    const rate = { threshold: `rate>=${1 - abortErrors}`, abortOnFail: true, delayAbortEval: `${warmup + 5}s` };
    result.answered = [rate];
  }
  for (const { seconds, answers } of abortSlow) {
    const count = { threshold: `count<${answers}`, abortOnFail: true };
    result[`slow_answers{phase:measure,above:${seconds}}`] = [count];
  }
  return result;
}

/** Returns a function that sets the phase of this virtual user to `measure` as soon as the warm-up is over. */
function createPhaseSwitch(warmupSeconds) {
  let measured = false;
  return () => {
    if (measured || Date.now() - currentScenario().startTime < warmupSeconds * 1000) return;
    measured = true;
    // k6 keeps the tag for later iterations.
    currentTags().phase = 'measure';
  };
}

function describeFault(name, wrong, { status, body, error }) {
  return status
    ? `${name}: wrong answer (${wrong}): status ${status}, ${JSON.stringify((body ?? '').slice(0, 200))}`
    : `${name}: no answer: ${error}`;
}

/** Runs `make`, and throws the message of a BadSetting as a string: k6 prints the stack of an Error, but not of a string. */
function withOneLineErrors(make) {
  try {
    return make();
  } catch (error) {
    throw error instanceof BadSetting ? error.message : error;
  }
}
