'use strict';
/*
 * External hooks of n8n (EXTERNAL_HOOK_FILES). On main and on the webhook processors: private metrics (metrics.js), admission
 * (n8n.js, and starting.js until n8n has started), the input of executions whose worker died (stalled.js), connection draining,
 * readiness of older n8n (routes.js), and the hook of the load targets if it is mounted; on main also executions whose jobs Redis has
 * lost (lost-queue.js). On them and on workers: the end of an execution that the database did not take (save-again.js), and a
 * container that is nearly full (memory.js).
 *
 * Clients and ingress controllers keep connections open and keep using them, whatever Service and readiness say. When n8n
 * stops, it closes its port and its database, but not the connections that have a request in flight: n8n answered later
 * requests on them with 500 and 503 (run: 2.41.1). So once preStop has created DRAINING, every response tells the client to
 * close the connection.
 */
const { existsSync, statSync } = require('node:fs');
const { onStop, whenGone } = require('./http.js');
const { findLostQueue } = require('./lost-queue.js');
const { collectInTime } = require('./memory.js');
const { hideMetrics } = require('./metrics.js');
const { admitRequests } = require('./n8n.js');
const { answerReadiness } = require('./routes.js');
const { saveAgain, saveAgainInWorker } = require('./save-again.js');
const { keepInput } = require('./stalled.js');
const { refuseUntilReady } = require('./starting.js');

const LOAD_TARGETS = '/opt/load-targets/hook/hook.js';
const DRAINING = '/tmp/draining';
const startedAt = Date.now();

/** Milliseconds between two looks at that file. */
const LOOK = 100;
let [lookedAt, isMarked] = [-Infinity, false];

/** A file older than this process was left by an earlier container of the pod. */
function isDraining() {
  const now = performance.now();
  if (now - lookedAt < LOOK) return isMarked;
  [lookedAt, isMarked] = [now, statSync(DRAINING, { throwIfNoEntry: false })?.mtimeMs >= startedAt];
  return isMarked;
}

function drainConnections({ server }) {
  const open = new Set();
  let ending = false;
  const isLast = (response) => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  const onRequest = (request, response) => {
    if (ending || isDraining()) return isLast(response);
    open.add(response);
    whenGone(request, response, () => open.delete(response));
  };
  server.prependListener('request', onRequest);
  if (server.listenerCount('checkContinue') > 0) server.prependListener('checkContinue', onRequest);
  onStop(() => {
    ending = true;
    open.forEach(isLast);
  });
}

/** Undefined where the overload protection is off: n8n then takes every request. Workers take none. */
const endRefusals = process.env.N8N_TUNED_MAX_REQUESTS ? refuseUntilReady() : undefined;

/** The `ready` hook that ends it; the hooks before it are in front of n8n then. */
const takeRequests = () => endRefusals?.();

const loadTargets = existsSync(LOAD_TARGETS) ? require(LOAD_TARGETS).n8n.ready : [];

exports.n8n = {
  ready: [
    collectInTime,
    hideMetrics,
    admitRequests,
    keepInput,
    saveAgain,
    findLostQueue,
    drainConnections,
    takeRequests,
    answerReadiness,
    ...loadTargets,
  ],
};
exports.worker = { ready: [collectInTime, saveAgainInWorker] };
