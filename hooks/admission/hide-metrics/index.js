'use strict';
/*
 * Keeps /metrics from the public: n8n serves it without a login on the port of webhooks and editor, and so on every Ingress.
 * Proxies add headers that name the client. Prometheus calls the pod directly.
 */
const { intercept, serverOf } = require('../../lib/http.js');
const { pathOf } = require('../../lib/paths.js');

const SAID_BY_PROXIES = ['x-forwarded-for', 'x-real-ip', 'forwarded'];
const METRICS = /^\/metrics\/?$/;

/** Answers 404 to requests for the metrics that come through a proxy. */
function hideMetrics(server) {
  intercept(server, (request, response, serve) => {
    const isHidden = SAID_BY_PROXIES.some((name) => name in request.headers) && METRICS.test(pathOf(request.url));
    if (!isHidden) return serve();
    response.writeHead(404, { 'Content-Length': 0 });
    response.end();
  });
}

module.exports = {
  name: 'hide-metrics',
  isOn: (env) => env.N8N_TUNED_PRIVATE_METRICS === 'true',
  bind: (context) => hideMetrics(serverOf(context)),
  otherwise: '/metrics is readable through every proxy in front of n8n.',
};
