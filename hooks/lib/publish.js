'use strict';
/* Adds a metric of the active hooks to n8n's own /metrics. */
const { n8nModules, n8nVersion } = require('./n8n-modules.js');
const { statuses } = require('./status.js');

/** The prefix of n8n's metrics. */
const metricsPrefix = (env) => env.N8N_METRICS_PREFIX ?? 'n8n_';

/**
 * Registers `n8n_tuned_hook_active{hook,version}`: 1 if the hook has bound, 0 if this n8n is not supported. `version` is n8n's.
 * @throws Error if this n8n has no prom-client
 */
function publish(env) {
  if (env.N8N_METRICS !== 'true') return;
  const modules = n8nModules();
  if (!modules) throw new Error('this n8n has its parts elsewhere');
  const { Gauge } = modules.require('prom-client');
  const version = n8nVersion();
  new Gauge({
    name: `${metricsPrefix(env)}tuned_hook_active`,
    help: 'Whether a hook of n8n-tuned has bound to this n8n (1), or found it changed and does nothing (0)',
    labelNames: ['hook', 'version'],
    collect() {
      this.reset();
      for (const [hook, { isActive }] of statuses()) this.set({ hook, version }, isActive ? 1 : 0);
    },
  });
}

module.exports = { metricsPrefix, publish };
