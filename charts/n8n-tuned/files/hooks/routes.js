'use strict';
/*
 * Readiness of n8n 1.58 to 2.12. It answers 200 on /healthz/readiness as soon as the database is migrated, and requests of webhooks
 * with 404 until its routes exist, about 2 s of CPU later (run: 1.123.81; mended in n8n's PR 26742). A pod that is updated would
 * answer 404 for so long.
 */

/** n8n's `ready` hook, which runs when the routes exist: answers 200 on a path of its own. Without the database n8n answers it 503. */
function answerReadiness({ app }) {
  const path = process.env.N8N_TUNED_READINESS_PATH;
  if (path) app.get(path, (_request, response) => response.send({ status: 'ok' }));
}

module.exports = { answerReadiness };
