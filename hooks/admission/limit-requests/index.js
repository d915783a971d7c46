'use strict';
/* limit-requests: how many requests n8n works on at once. This file reads the chart's variables; admission.js has the rules. */
const { Admission, NO_EXECUTIONS } = require('./admission.js');
const { ConcurrencyLimit } = require('./concurrency.js');
const { executionsHere } = require('./executions.js');
const { guard } = require('./guard.js');
const { HeapLimit, watchHeap } = require('./heap.js');
const { LatencyLimit } = require('./latency.js');
const { publishAdmission } = require('./metrics.js');
const { container } = require('../../lib/container.js');
const { serverOf } = require('../../lib/http.js');
const log = require('../../lib/log.js');

/** Share of the request limit that may always be held, even with a full heap. */
const LEAST_HELD = 0.1;

/** The admission that the variables of the chart ask for. */
function createAdmission(env, executions) {
  const most = Number(env.N8N_TUNED_MAX_REQUESTS);
  const line = Number(env.N8N_TUNED_MAX_WAITING);
  const longest = 1000 * Number(env.N8N_TUNED_MAX_WAIT_SECONDS);
  const admission = new Admission({ most, line, longest, executions });
  admission.heap = new HeapLimit({
    held: () => admission.held,
    admitted: () => admission.begun,
    least: Math.max(1, Math.floor(LEAST_HELD * most)),
  });
  watchHeap(admission.heap, container);
  if (env.N8N_TUNED_ADAPTIVE_LIMIT === 'true')
    admission.concurrency = new (isQueue(env) ? LatencyLimit : ConcurrencyLimit)({ full: most });
  admission.onStuck = (count) =>
    log.warn(`admission: ${count} requests held all places for 10 minutes; they no longer count`);
  return admission;
}

const isQueue = (env) => env.EXECUTIONS_MODE === 'queue';

/** The executions of this process; without any if this n8n keeps them elsewhere, and the limit is then one of requests alone. */
function trackExecutionsIfPossible(env) {
  try {
    return executionsHere(isQueue(env));
  } catch (error) {
    log.warn(`admission: executions that go on after their answer are not counted: ${error.message}`);
    return { count: () => NO_EXECUTIONS, serve: (_path, go) => go() };
  }
}

module.exports = {
  name: 'limit-requests',
  isOn: (env) => Boolean(env.N8N_TUNED_MAX_REQUESTS),
  bind(context, env) {
    const server = serverOf(context);
    const { count, serve } = trackExecutionsIfPossible(env);
    const admission = createAdmission(env, count);
    // Only in queue mode can there be several processes that take them.
    guard(server, admission, { elsewhere: isQueue(env), bodySeconds: Number(env.N8N_TUNED_BODY_SECONDS ?? 0), serve });
    try {
      publishAdmission(admission, env);
    } catch (error) {
      log.warn(`admission: not in the metrics: ${error.message}`);
    }
  },
  otherwise: 'n8n takes every request, and may run out of memory in an overload.',
};
