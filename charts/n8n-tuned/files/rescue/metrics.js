'use strict';
/* What the rescue shows to Prometheus and to the kubelet. */
const { createServer } = require('node:http');

/** Every fate of decide.js and rescue.js, so that each has a series from the start. */
const FATES = ['due', 'pending', 'running', 'rescued', 'failed', 'given_up', 'expired', 'unlisted', 'unanswered'];

/** Counts since the start of the process, and the last look at n8n. */
class Metrics {
  #results = new Map();
  /** Seconds since the epoch at which the last look ended. */
  #lookedAt = 0;
  #seen = { fates: [], untagged: 0, long: 0 };

  /** A retry was answered: `ended`; `refused` if n8n cannot start the execution; `unknown` if n8n did not say. */
  answered(result) {
    this.#results.set(result, (this.#results.get(result) ?? 0) + 1);
  }

  /**
   * @param seen what a look at n8n found: `fates` of the lost executions of tagged workflows, the number of those of `untagged`
   *   ones, and of executions that run for `long`
   * @param now milliseconds
   */
  looked(seen, now) {
    this.#seen = seen;
    this.#lookedAt = now / 1000;
  }

  get text() {
    const { fates, untagged, long } = this.#seen;
    const counts = FATES.map((fate) => [`{fate="${fate}"}`, fates.filter((one) => one.fate === fate).length]);
    const results = [...this.#results].map(([result, count]) => [`{result="${result}"}`, count]);
    return [
      ...metric('executions', 'gauge', 'Crashed executions by what becomes of them', [
        ...counts,
        ['{fate="untagged"}', untagged],
      ]),
      ...metric('retries_total', 'counter', 'Retries that n8n has answered', results),
      ...metric('long_running_executions', 'gauge', 'Executions that n8n has called running for long', [['', long]]),
      ...metric('last_look_timestamp_seconds', 'gauge', 'When n8n was last asked with success', [['', this.#lookedAt]]),
      '',
    ].join('\n');
  }
}

function metric(name, type, help, series) {
  const full = `n8n_rescue_${name}`;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...series.map(([labels, value]) => `${full}${labels} ${value}`),
  ];
}

/** Serves /metrics, and /healthz: 200 while `isAlive`. Returns the server. */
function serve(port, metrics, isAlive) {
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4');
      return response.end(metrics.text);
    }
    response.statusCode = request.url !== '/healthz' ? 404 : isAlive() ? 200 : 503;
    response.end();
  });
  return server.listen(port);
}

module.exports = { Metrics, serve };
