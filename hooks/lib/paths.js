'use strict';
/* Classifies the URLs of n8n. */

/** Variables of the first segment of production paths, with n8n's defaults (read: 2.41.1, endpoints.config). */
const BEGINNING = { N8N_ENDPOINT_WEBHOOK: 'webhook', N8N_ENDPOINT_FORM: 'form', N8N_ENDPOINT_MCP: 'mcp' };
const RESUMING = { N8N_ENDPOINT_WEBHOOK_WAIT: 'webhook-waiting', N8N_ENDPOINT_FORM_WAIT: 'form-waiting' };
/** Paths of tests from the editor. */
const TESTING = {
  N8N_ENDPOINT_WEBHOOK_TEST: 'webhook-test',
  N8N_ENDPOINT_FORM_TEST: 'form-test',
  N8N_ENDPOINT_MCP_TEST: 'mcp-test',
};
/** Suffixes of the paths that Slack and Telegram call when a message is answered (read: 2.41.1, abstract-server.js). */
const ANSWERING = ['-slack', '-telegram'];
/** Characters of a path that distinguish it from other paths. */
const LONGEST_KEY = 256;
/** n8n's address of a webhook whose path has parameters begins with the id of its node (read: 2.41.1, webhook.service.js). */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The path by which Express finds the route of a URL: it ignores the case of letters and reads a backslash as a slash, and a
 * proxy may send a whole URL. In a URL with a #, Node takes what follows two slashes for a host, too.
 */
const pathOf = (url) =>
  url
    .replace(/[?#].*$/s, '')
    .replaceAll('\\', '/')
    .replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '')
    .toLowerCase();

/** Beginnings of paths, in lower case, by the variables that change them. */
const prefixes = (paths, env) => Object.entries(paths).map(([name, path]) => `/${env[name] || path}/`.toLowerCase());

/** Returns a predicate for paths that Slack or Telegram calls. */
function answeringPaths(env) {
  const waiting = env.N8N_ENDPOINT_WEBHOOK_WAIT || RESUMING.N8N_ENDPOINT_WEBHOOK_WAIT;
  const all = ANSWERING.map((suffix) => `/${waiting}${suffix}`.toLowerCase());
  return (path) => all.includes(path.replace(/\/$/, ''));
}

/** Returns a function that classifies a URL: it `begins` or `resumes` an execution, or undefined for other URLs. */
function productionPaths(env) {
  const answering = answeringPaths(env);
  const [beginning, resuming] = [prefixes(BEGINNING, env), prefixes(RESUMING, env)];
  return (url) => {
    const path = pathOf(url);
    const isOf = (all) => all.some((prefix) => path.startsWith(prefix));
    return isOf(resuming) || answering(path) ? 'resumes' : isOf(beginning) ? 'begins' : undefined;
  };
}

/** Returns a predicate for URLs of webhooks, forms and MCP servers, production or test. */
function webhookPaths(env) {
  const all = [BEGINNING, RESUMING, TESTING].flatMap((paths) => prefixes(paths, env));
  const answering = answeringPaths(env);
  return (url) => {
    const path = pathOf(url);
    return all.some((prefix) => path.startsWith(prefix)) || answering(path);
  };
}

/** Decodes a part of a path as Express does. Returns a wrongly encoded text unchanged. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The key by which requests share places: the path of the webhook. All paths of one webhook with parameters have one key. All requests
 * that resume executions have one key, because their paths hold the id of an execution.
 * @param kind as of `productionPaths`
 */
function pathKey(url, kind) {
  if (kind === 'resumes') return 'resumes';
  const path = trimTrailingSlashes(decoded(pathOf(url)));
  const [, endpoint, first] = path.split('/', 3);
  return UUID.test(first) ? `/${endpoint}/${first}` : path.slice(0, LONGEST_KEY);
}

/** Removes trailing slashes. A regular expression would search for the end at each slash, which takes half a second for 16 kB. */
function trimTrailingSlashes(path) {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

module.exports = { decoded, pathKey, pathOf, productionPaths, webhookPaths };
