'use strict';
/*
 * External hooks of n8n (EXTERNAL_HOOK_FILES) on main and on the webhook processors: connection draining, and the hook of
 * the load targets where there is one.
 *
 * Clients and ingress controllers keep connections open and go on using them, whatever Service and readiness say. n8n
 * closes its port and its database at the end, but not the connections on which a request is under way; what came on
 * those was answered with 500 and 503 (run: 2.41.1). So, from when preStop has made DRAINING on, every response says that
 * it was the last on its connection.
 */
const { existsSync, statSync } = require('node:fs');

const LOAD_TARGETS = '/opt/load-targets/hook/hook.js';
const DRAINING = '/tmp/draining';
const startedAt = Date.now();

/** One that is older than this process was left by another container of this pod. */
const isDraining = () => statSync(DRAINING, { throwIfNoEntry: false })?.mtimeMs >= startedAt;

function drainConnections({ server }) {
  const open = new Set();
  let ending = false;
  const isLast = (response) => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  server.prependListener('request', (_request, response) => {
    if (ending || isDraining()) return isLast(response);
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  process.prependListener('SIGTERM', () => {
    ending = true;
    open.forEach(isLast);
  });
}

const loadTargets = existsSync(LOAD_TARGETS) ? require(LOAD_TARGETS).n8n.ready : [];

exports.n8n = { ready: [drainConnections, ...loadTargets] };
