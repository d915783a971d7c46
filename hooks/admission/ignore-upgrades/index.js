'use strict';
/*
 * Requests that ask for another protocol, as `Upgrade: h2c` of Java's HttpClient and of curl --http2. n8n takes WebSockets of its editor
 * and chat. It never answers any other request for an upgrade to main, and its connection stays open (read: 2.41.1, push/index.js; run).
 * HTTP allows a server to ignore the request for an upgrade (RFC 9110, 7.8): so it is served as any other.
 */
const { ServerResponse } = require('node:http');
const { beginError, hasBody, serverOf } = require('../../lib/http.js');
const { webhookPaths } = require('../../lib/paths.js');

const WEBSOCKET = /^\s*websocket\s*$/i;

/** Returns a function that tells whether n8n may take a request for an upgrade: a WebSocket, and not on the path of a webhook. */
function upgradePredicate(env) {
  const isWebhook = webhookPaths(env);
  return ({ url, headers }) => WEBSOCKET.test(headers.upgrade) && !isWebhook(url);
}

/** Serves all other upgrade requests as ordinary requests. */
function ignoreUpgrades(server, env) {
  const isTaken = upgradePredicate(env);
  // Node 22.21, 24.9 and newer ask before they stop to read the connection as HTTP.
  const { shouldUpgradeCallback: before } = server;
  if (typeof before === 'function') {
    server.shouldUpgradeCallback = function (request) {
      return isTaken(request) && before.call(this, request);
    };
    return;
  }
  const listeners = server.listeners('upgrade');
  if (listeners.length === 0) return;
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request, socket, head) => {
    if (isTaken(request)) return listeners.forEach((listener) => listener.call(server, request, socket, head));
    serveOnce(server, request, socket);
  });
}

/** Serves a request on a connection that Node no longer reads as HTTP. It has no body: that cannot be read any more. */
function serveOnce(server, request, socket) {
  // An answer before it is not sent yet, and two cannot have the connection.
  if (socket._httpMessage) return socket.destroy();
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  socket.on('error', () => socket.destroy());
  response.once('finish', () => socket.destroySoon());
  if (!hasBody(request)) return server.emit('request', request, response);
  const text = beginError(request, response, {
    code: 400,
    message: `n8n does not upgrade to ${request.headers.upgrade}.`,
    hint: 'Send the request without the header Upgrade.',
    headers: { Connection: 'close' },
  });
  response.end(text);
}

module.exports = {
  name: 'ignore-upgrades',
  isOn: (env) => env.N8N_TUNED_IGNORE_UPGRADES === 'true',
  bind: (context, env) => ignoreUpgrades(serverOf(context), env),
  otherwise: 'Requests with "Upgrade: h2c" are never answered.',
};
