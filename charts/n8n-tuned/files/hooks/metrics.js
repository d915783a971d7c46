'use strict';
/*
 * Keeps /metrics from the public: n8n serves it without a login on the port of webhooks and editor, and so on every Ingress.
 * Proxies say for whom they ask; Prometheus calls the pod itself.
 */
const { intercept, pathOf } = require('./http.js');

const SAID_BY_PROXIES = ['x-forwarded-for', 'x-real-ip', 'forwarded'];
const METRICS = /^\/metrics\/?$/;

/** n8n's `ready` hook: answers 404 to whoever asks for the metrics through a proxy. */
function hideMetrics({ server }) {
  if (process.env.N8N_TUNED_PRIVATE_METRICS !== 'true') return;
  intercept(server, (request, response, serve) => {
    const isHidden = SAID_BY_PROXIES.some((name) => name in request.headers) && METRICS.test(pathOf(request.url));
    if (!isHidden) return serve();
    response.writeHead(404, { 'Content-Length': 0 });
    response.end();
  });
}

module.exports = { hideMetrics };
