'use strict';
/*
 * Connections that end when n8n stops. Clients and ingress controllers keep connections open and keep using them, whatever Service and
 * readiness say. When n8n stops, it closes its port and its database, but not the connections that have a request in flight: n8n
 * answered later requests on them with 500 and 503 (run: 2.41.1). So once preStop has created DRAINING, every response tells the client
 * to close the connection.
 */
const { statSync } = require('node:fs');
const { onStop, serverOf, whenGone } = require('../../lib/http.js');

const DRAINING = '/tmp/draining';
/** Milliseconds between two checks of that file. */
const LOOK = 100;

/**
 * Returns a predicate that is true once preStop has begun. A file older than this process was left by an earlier container of the pod.
 * @param file that preStop creates
 */
function drainingSince(file, startedAt) {
  let [lookedAt, isMarked] = [-Infinity, false];
  return () => {
    const now = performance.now();
    if (now - lookedAt < LOOK) return isMarked;
    [lookedAt, isMarked] = [now, statSync(file, { throwIfNoEntry: false })?.mtimeMs >= startedAt];
    return isMarked;
  };
}

const startedAt = Date.now();

/** Makes each answer the last one on its connection, once n8n is about to stop. */
function drainConnections(server, file = DRAINING) {
  const isDraining = drainingSince(file, startedAt);
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

module.exports = {
  name: 'drain-connections',
  isOn: (env) => env.N8N_TUNED_DRAIN_CONNECTIONS === 'true',
  bind: (context) => drainConnections(serverOf(context)),
  otherwise: 'Requests on connections that are open when n8n stops may fail.',
  drainConnections,
};
