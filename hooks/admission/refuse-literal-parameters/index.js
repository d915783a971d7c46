'use strict';
/*
 * Paths with the name of a parameter in the place of its value. A webhook at `orders/:id` has an address that begins with the UUID of its
 * node. n8n also started it at /webhook/orders/:id, a literal colon in the path, without that UUID (CVE-2026-110852; run: 2.41.1; versions:
 * the chart's files/advisories.yaml). A segment that begins with a colon is refused on every path of a webhook, for every n8n.
 */
const { answerError, intercept, serverOf } = require('../../lib/http.js');
const { decoded, pathOf, webhookPaths } = require('../../lib/paths.js');

/** A colon that begins a segment; also one that was encoded more than once, which a proxy may decode. */
const LITERAL = /^(:|%(25)*3a)/;

/** Whether a path has such a segment. */
const hasLiteralParameter = (url) =>
  pathOf(url)
    .split('/')
    .flatMap((segment) => decoded(segment).split('/'))
    .some((segment) => LITERAL.test(segment));

/** Answers 404, as n8n does for an unknown webhook. */
function refuseLiteralParameters(server, env) {
  const isWebhook = webhookPaths(env);
  intercept(server, (request, response, serve) => {
    if (!isWebhook(request.url) || !hasLiteralParameter(request.url)) return serve();
    answerError(request, response, {
      code: 404,
      message: 'No webhook has this path: a part of it begins with a colon.',
      hint: 'In the place of a parameter such as :id write its value.',
    });
  });
}

module.exports = {
  name: 'refuse-literal-parameters',
  isOn: (env) => env.N8N_TUNED_REFUSE_LITERAL_PARAMETERS === 'true',
  bind: (context, env) => refuseLiteralParameters(serverOf(context), env),
  otherwise: 'Webhooks with a parameter in their path can be started without their UUID in older n8n.',
  hasLiteralParameter,
};
