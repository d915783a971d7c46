'use strict';
/*
 * Readiness of n8n 1.58 to 2.12. It answers 200 on /healthz/readiness as soon as the database is migrated, and requests of webhooks
 * with 404 until its routes exist, about 2 s of CPU later (run: 1.123.81; mended in n8n's PR 26742). A pod that is updated would
 * answer 404 for so long.
 */
const { intercept, serverOf } = require('../../lib/http.js');
const { pathOf } = require('../../lib/paths.js');

/**
 * Answers 200 on a path of its own: the routes exist now. Without the database n8n answers it 503; without an Express app this cannot be
 * had, and the pod must become ready all the same.
 */
function answerReadiness(context, path) {
  const { app } = context;
  if (typeof app?.get === 'function') return app.get(path, (_request, response) => response.send({ status: 'ok' }));
  intercept(serverOf(context), (request, response, serve) => {
    if (pathOf(request.url) !== path) return serve();
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end('{"status":"ok"}');
  });
}

module.exports = {
  name: 'wait-for-routes',
  isOn: (env) => Boolean(env.N8N_TUNED_READINESS_PATH),
  bind: (context, env) => answerReadiness(context, env.N8N_TUNED_READINESS_PATH),
  otherwise: 'The pod never becomes ready: set probes.waitForRoutes=false.',
};
