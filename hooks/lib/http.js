'use strict';
/* What the hooks do with requests before n8n sees them. */

/** Milliseconds for which the body of a refused request is read and thrown away, so that its client reads the answer. */
const LINGER = 1000;
/** Bytes of a body that is read to its end, so that the connection of a refused request can be used again. */
const SHORT_BODY = 65_536;

/**
 * The HTTP server of n8n's `ready` hook.
 * @throws TypeError if it is none
 */
function serverOf({ server }) {
  if (typeof server?.listeners !== 'function') throw new TypeError("n8n's ready hook has no HTTP server");
  return server;
}

/**
 * Calls `handle` with each request, its response and a function that lets n8n serve it.
 * @returns that function, of any request and its response
 */
function intercept(server, handle) {
  const listeners = server.listeners('request');
  const serve = (request, response) => listeners.forEach((listener) => listener.call(server, request, response));
  server.removeAllListeners('request');
  server.on('request', (request, response) => handle(request, response, () => serve(request, response)));
  return serve;
}

/** Calls back once when the answer is sent or its client is gone. */
function whenGone({ socket }, response, callback) {
  const gone = () => {
    socket.off('close', gone);
    response.off('close', gone);
    callback();
  };
  response.once('close', gone);
  // An answer that waits behind another one on its connection is not told that the connection has ended.
  socket.once('close', gone);
}

/** Calls back before n8n reads the signal that ends it: Kubernetes sends SIGTERM, PM2 SIGINT. */
function onStop(callback) {
  for (const signal of ['SIGTERM', 'SIGINT']) process.prependListener(signal, callback);
}

const isChunked = ({ headers }) => 'transfer-encoding' in headers;
const lengthOf = ({ headers }) => Number(headers['content-length'] ?? 0);

/** Whether a body follows the head of a request. */
const hasBody = (request) => isChunked(request) || lengthOf(request) > 0;

/**
 * Whether the connection of a refused request ends with it: its body is too long to be read, or it expects "100 Continue" and may
 * leave the body out, so that what follows on this connection cannot be told apart.
 */
const mustClose = (request) => isChunked(request) || lengthOf(request) > SHORT_BODY || 'expect' in request.headers;

/** Sends the head of an answer in n8n's form of an error, and returns its text. */
function beginError(request, response, { code, message, hint, headers = {} }) {
  const text = JSON.stringify({ code, message, ...(hint && { hint }) });
  const { origin } = request.headers;
  response.writeHead(code, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
    // Else a script in a browser sees a failure without a status.
    ...(origin && {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Retry-After',
      Vary: 'Origin',
    }),
  });
  return text;
}

/** Answers a request with an error that n8n never sees. Its body is read and thrown away. */
function answerError(request, response, error) {
  if (response.destroyed) return;
  const text = beginError(request, response, error);
  request.resume();
  response.end(text);
}

/** Answers 503 with Retry-After. */
function refuse(request, response, { seconds, closes, message = 'n8n is at its limit of requests.' }) {
  if (response.destroyed) return;
  const headers = { 'Retry-After': seconds, ...(closes && { Connection: 'close' }) };
  const hint = `Try again in ${seconds} s.`;
  const text = beginError(request, response, { code: 503, message, hint, headers });
  request.resume();
  if (!closes || !hasBody(request) || request.method === 'HEAD') return void response.end(text);
  // To close a connection with unread data on it resets it, and the client may lose the answer.
  response.write(text);
  const end = () => {
    clearTimeout(late);
    response.end();
  };
  const late = setTimeout(end, LINGER).unref();
  request.once('end', end);
}

module.exports = { answerError, beginError, hasBody, intercept, mustClose, onStop, refuse, serverOf, whenGone };
