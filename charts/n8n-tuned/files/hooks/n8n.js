'use strict';
/* n8n's side of the admission: the executions that it holds, its metrics, and its hook. */
const { Admission, NO_EXECUTIONS } = require('./admission.js');
const { guard } = require('./http.js');
const { HeapLimit, watchHeap } = require('./heap.js');
const { ConcurrencyLimit } = require('./concurrency.js');
const { LatencyLimit } = require('./latency.js');
const { container } = require('./memory.js');
const { containerOf, n8nModules } = require('./modules.js');

/** Executions are counted again after this many times as long as that took: it costs 5 % of the time at most … */
const COUNT_PAUSE = 19;
/** … but after so many milliseconds at the latest: what took long may have been a collection. */
const LONGEST_PAUSE = 250;
/** However full the heap is, this share of the limit of requests may be held. */
const LEAST_HELD = 0.1;

/** The admission that the variables of the chart ask for; undefined if they ask for none. */
function admissionOf(env) {
  if (!env.N8N_TUNED_MAX_REQUESTS) return undefined;
  const most = Number(env.N8N_TUNED_MAX_REQUESTS);
  const line = Number(env.N8N_TUNED_MAX_WAITING);
  const longest = 1000 * Number(env.N8N_TUNED_MAX_WAIT_SECONDS);
  const isQueue = env.EXECUTIONS_MODE === 'queue';
  const executions = executionsHere(isQueue);
  const admission = new Admission({ most, line, longest, executions });
  admission.heap = new HeapLimit({
    held: () => admission.held,
    admitted: () => admission.begun,
    least: Math.max(1, Math.floor(LEAST_HELD * most)),
  });
  watchHeap(admission.heap, container);
  if (env.N8N_TUNED_ADAPTIVE_LIMIT === 'true')
    admission.concurrency = new (isQueue ? LatencyLimit : ConcurrencyLimit)({ full: most });
  admission.onStuck = (count) =>
    console.warn(`admission: ${count} requests held all places for 10 minutes; they no longer count`);
  return admission;
}

/** Returns a function that counts the executions of webhooks in this process; `elsewhere`: workers execute them. */
function executionsHere(elsewhere) {
  const modules = n8nModules();
  if (!modules) {
    console.warn('admission: executions that go on after their answer are not counted: this n8n keeps them elsewhere');
    return () => NO_EXECUTIONS;
  }
  try {
    const { ActiveExecutions } = modules.require(modules.path);
    const active = containerOf(modules.require).get(ActiveExecutions);
    countIn(active, elsewhere, -Infinity);
    return sparingly((since) => countIn(active, elsewhere, since));
  } catch (error) {
    console.warn(`admission: executions that go on after their answer are not counted: ${error.message}`);
    return () => NO_EXECUTIONS;
  }
}

/**
 * Executions of webhooks among n8n's active ones: `held` in memory; of those that began at a time or later, in milliseconds of
 * performance.now(), `all` that take a place, and `answered` of them. Those that wait in the database may do so for days, and count
 * nowhere.
 */
function countIn({ activeExecutions, responseModes }, elsewhere, since) {
  let [held, all, answered] = [0, 0, 0];
  for (const [id, { status, executionData, startedAt }] of Object.entries(activeExecutions)) {
    if (status === 'waiting' || executionData?.executionMode !== 'webhook') continue;
    held++;
    if (startedAt - performance.timeOrigin < since) continue;
    all++;
    // n8n 2.x notes it just before it answers; older ones do not tell.
    if (responseModes?.get(id) === 'onReceived') answered++;
  }
  return elsewhere ? { all: 0, answered: 0, held } : { all, answered, held };
}

/** The function, whose answer is kept for a time after a call that took long, or until it is asked something else. */
function sparingly(ask) {
  let [asked, answer, until] = [undefined, undefined, 0];
  return (question) => {
    const from = performance.now();
    if (from < until && question === asked) return answer;
    asked = question;
    answer = ask(question);
    const to = performance.now();
    until = to + Math.min(LONGEST_PAUSE, COUNT_PAUSE * (to - from));
    return answer;
  };
}

/** Registers what happens here with n8n's own /metrics. */
function publish(admission, env) {
  if (env.N8N_METRICS !== 'true') return;
  const modules = n8nModules();
  if (!modules) return console.warn('admission: not in the metrics: this n8n has its parts elsewhere');
  const { Counter, Gauge, Histogram } = modules.require('prom-client');
  const prefix = `${env.N8N_METRICS_PREFIX ?? 'n8n_'}admission_`;
  const metric = (Kind, name, help, labelNames, collect) =>
    new Kind({ name: prefix + name, help, labelNames, collect });
  metric(Gauge, 'requests_under_way', 'Requests to production paths that are under way', [], function () {
    this.set(admission.underWay);
  });
  metric(Gauge, 'requests_waiting', 'Requests that wait in the line', [], function () {
    this.set(admission.waiting);
  });
  metric(
    Gauge,
    'requests_demand',
    'Requests under way and waiting; while concurrency_limit is lower, as if all of requests_limit were under way',
    [],
    function () {
      this.set(admission.demand);
    },
  );
  metric(Gauge, 'requests_limit', 'Requests that may be under way at once', [], function () {
    this.set(admission.most);
  });
  metric(
    Gauge,
    'executions_held',
    'Executions of webhooks, or requests, in the memory of this process',
    [],
    function () {
      this.set(admission.held);
    },
  );
  metric(
    Gauge,
    'concurrency_limit',
    'Requests that may be under way now: in an overload fewer than requests_limit',
    [],
    function () {
      this.set(Math.min(admission.most, admission.concurrency.most));
    },
  );
  metric(Counter, 'admitted_total', 'Requests that were admitted', [], function () {
    this.reset();
    this.inc(admission.admitted);
  });
  metric(Counter, 'refused_total', 'Requests answered with 503', ['reason'], function () {
    this.reset();
    for (const [reason, count] of Object.entries(admission.refused)) this.inc({ reason }, count);
  });
  const wait = new Histogram({
    name: `${prefix}wait_seconds`,
    help: 'Time that admitted requests waited in the line',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
  });
  admission.onWait = (milliseconds) => wait.observe(milliseconds / 1000);
}

/** n8n's `ready` hook. */
function admitRequests({ server }) {
  const admission = admissionOf(process.env);
  if (!admission) return;
  // Only in queue mode can there be several processes that take them.
  guard(server, admission, process.env.EXECUTIONS_MODE === 'queue');
  publish(admission, process.env);
}

module.exports = { admitRequests, countIn, sparingly };
