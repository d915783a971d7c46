import { check, sleep } from 'k6';
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { expectation, fault } from './proof.js';
import { scenarios } from './scenarios.js';
import { BadSetting, readMix, readSettings, serviceSeconds } from './settings.js';
import { target } from './target.js';

const catalogue = JSON.parse(open('../workloads.json'));

/** Answers with the proof. `answered` + `wrong_answers` + requests that got no answer = iterations. */
const answered = new Counter('answered');
/** Answers of any status without the proof; the tag `fault` says what was wrong. */
const wrongAnswers = new Counter('wrong_answers');

/** The `options` and the `iteration` of a script that drives one workload of the catalogue. */
export function workload(name) {
  return orOneLine(() => drive([[name, 1]]));
}

/** The same for the workloads and weights of MIX. */
export function mix() {
  return orOneLine(() => drive(readMix(__ENV, catalogue)));
}

function drive(pairs) {
  const settings = readSettings(__ENV, ...pairs.map(([name]) => catalogue[name]));
  const loads = pairs.map(([name, weight], i) => ({
    name,
    weight,
    service: serviceSeconds(catalogue[name], settings.queries[i]),
    send: target(catalogue[name], settings.queries[i], settings),
    expected: expectation(name, settings.queries[i]),
  }));
  const byName = Object.fromEntries(loads.map((load) => [load.name, load]));
  const plan = scenarios(loads, settings);

  function iteration() {
    const { tags } = exec.vu.metrics;
    if (settings.model === 'closed' && inMeasuredPart(settings)) tags.phase = 'measure';
    const { name, send, expected } = byName[tags.workload];
    const response = send();
    const { status, body, timings } = response;
    const wrong = fault(expected, { status, body, durationMs: timings.duration });
    check(null, { 'the answer proves the work': !wrong });
    if (!wrong) {
      answered.add(1);
      return;
    }
    if (status) wrongAnswers.add(1, { fault: wrong });
    // One line a scenario: enough to see a wrong token or an inactive workflow, and no flood under load.
    if (exec.scenario.iterationInTest === 0) console.warn(describe(name, wrong, response));
    if (settings.model === 'closed') sleep(settings.pause);
  }

  return {
    iteration,
    options: {
      scenarios: plan,
      thresholds: thresholds(plan, settings.model),
      // Only what is read; each further tag is a column in every line of an output.
      systemTags: ['status', 'error_code', 'scenario', 'expected_response'],
      summaryTrendStats: ['count', 'avg', 'med', 'p(95)', 'p(99)', 'max'],
    },
  };
}

/**
 * Correct answers, at least one, and nothing dropped, in the measured part of every step. By scenario where there is
 * one a phase: k6 gives dropped_iterations no other tag.
 */
function thresholds(plan, model) {
  const parts =
    model === 'closed'
      ? ['{phase:measure}']
      : Object.keys(plan)
          .filter((scenario) => plan[scenario].tags.phase === 'measure')
          .map((scenario) => `{scenario:${scenario}}`);
  const result = {};
  for (const part of parts) {
    result[`checks${part}`] = ['rate==1'];
    // A threshold on a metric without samples passes, so the count is asked for.
    result[`answered${part}`] = ['count>0'];
    // Always true: it makes k6's summary show the latency of the step.
    result[`http_req_duration${part}`] = ['p(95)>=0'];
    if (model === 'open') result[`dropped_iterations${part}`] = ['count==0'];
  }
  return result;
}

function inMeasuredPart({ warmup }) {
  return Date.now() - exec.scenario.startTime >= warmup * 1000;
}

function describe(name, wrong, { status, body, error }) {
  return status
    ? `${name}: wrong answer (${wrong}): status ${status}, ${JSON.stringify((body ?? '').slice(0, 200))}`
    : `${name}: no answer: ${error}`;
}

/** k6 prints the stack of an Error and a string as it is. */
function orOneLine(make) {
  try {
    return make();
  } catch (error) {
    throw error instanceof BadSetting ? error.message : error;
  }
}
