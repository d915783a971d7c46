import { SharedArray } from 'k6/data';
import http from 'k6/http';
import { Trend } from 'k6/metrics';

import { currentScenario } from './context.js';
import { buildScenarios } from './scenarios.js';
import { readSettings } from './settings.js';
import { waitUntilDue } from './workload.js';

/**
 * One sample for each request: milliseconds from the time at which it was due to the end of its answer. Its tags are the id of
 * the request, the status (0: no answer), the id of the execution in the answer, and whether n8n answered that it is starting up.
 */
const accounted = new Trend('accounted', true);
/** n8n's answer to every request, with HTTP 200, while it migrates its database (source of 2.41.1: abstract-server.js). */
const STARTING = /^n8n is starting up/;

/**
 * The `options` and the `iteration` of a script whose requests each carry an id, so that each can be accounted for. The webhook
 * answers with JSON that has an `executionId`.
 * @param name of the scenarios
 * @param path of the webhook
 */
export function accountedLoad(name, path) {
  const settings = readSettings(__ENV, { query: {}, serviceTimeSeconds: 0 });
  const { urls, token, timeout } = settings;
  const params = { headers: token ? { 'x-load-target-token': token } : {}, timeout: timeout * 1000 };
  // Creates enough clients at the beginning that k6 drops no request, even while all of them wait for a time-out.
  const loads = [{ name, weight: 1, service: timeout }];
  const { scenarios: plan, due } = buildScenarios(loads, settings, (list, make) => new SharedArray(list, make));

  function iteration() {
    const { name: part, iterationInTest } = currentScenario();
    const from = waitUntilDue(due[part]);
    if (from === undefined) return;
    const id = `${part}-${iterationInTest}`;
    const { status, body } = http.get(`${urls[iterationInTest % urls.length]}${path}?id=${id}`, params);
    const starting = STARTING.test(body ?? '') ? 'yes' : '';
    accounted.add(Date.now() - from, { id, status: String(status), execution: readExecutionId(body), starting });
  }

  // Each request has its own connection. If the server closes a reused one before it answers, k6 sends the GET again (Go's
  // http.Transport): one id would be two requests.
  const options = { scenarios: plan, maxRedirects: 0, noConnectionReuse: true, systemTags: ['scenario'] };
  return { iteration, options };
}

/** The id of the execution in an answer; empty if there is none. */
function readExecutionId(body) {
  try {
    return String(JSON.parse(body).executionId ?? '');
  } catch {
    return '';
  }
}
