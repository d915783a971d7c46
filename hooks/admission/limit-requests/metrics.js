'use strict';
/* What the admission does, in n8n's own /metrics. */
const { requireN8nModules } = require('../../lib/n8n-modules.js');
const { metricsPrefix } = require('../../lib/publish.js');

/** Gauges by the end of their names: what they are, and how they are read. */
const GAUGES = {
  requests_under_way: ['Requests to production paths that are under way', (admission) => admission.underWay],
  requests_waiting: ['Requests that wait in the line', (admission) => admission.waiting],
  requests_demand: [
    'Requests under way and waiting; while concurrency_limit is lower, as if all of requests_limit were under way',
    (admission) => admission.demand,
  ],
  requests_limit: ['Requests that may be under way at once', (admission) => admission.most],
  executions_held: [
    'Executions of webhooks, or requests, in the memory of this process',
    (admission) => admission.held,
  ],
  concurrency_limit: [
    'Requests that may be under way now: in an overload fewer than requests_limit',
    (admission) => Math.min(admission.most, admission.concurrency.most),
  ],
};
/** Seconds. */
const WAITS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/**
 * Registers the metrics of an admission where n8n serves metrics.
 * @throws Error if this n8n has no prom-client
 */
function publishAdmission(admission, env) {
  if (env.N8N_METRICS !== 'true') return;
  const { Counter, Gauge, Histogram } = requireN8nModules().require('prom-client');
  const nameOf = (end) => `${metricsPrefix(env)}admission_${end}`;
  for (const [end, [help, read]] of Object.entries(GAUGES))
    new Gauge({
      name: nameOf(end),
      help,
      collect() {
        this.set(read(admission));
      },
    });
  new Counter({
    name: nameOf('admitted_total'),
    help: 'Requests that were admitted',
    collect() {
      this.reset();
      this.inc(admission.admitted);
    },
  });
  new Counter({
    name: nameOf('refused_total'),
    help: 'Requests answered with 503',
    labelNames: ['reason'],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(admission.refused)) this.inc({ reason }, count);
    },
  });
  const help = 'Time that admitted requests waited in the line';
  const wait = new Histogram({ name: nameOf('wait_seconds'), help, buckets: WAITS });
  admission.onWait = (milliseconds) => wait.observe(milliseconds / 1000);
}

module.exports = { publishAdmission };
