'use strict';
/* Helpers of the hooks that handle HTTP requests before n8n. */

/** Milliseconds for which the body of a refused request is read and discarded, so that the client can read the answer. */
const LINGER = 1000;
/** Bytes of the longest body that is read to its end, so that the connection of a refused request can be reused. */
const SHORT_BODY = 65_536;

/**
 * The HTTP server of n8n's `ready` hook.
 * @throws TypeError if the context has no HTTP server
 */
function serverOf({ server }) {
  if (typeof server?.listeners !== 'function') throw new TypeError("n8n's ready hook has no HTTP server");
  return server;
}

/**
 * Calls `handle` with each request, its response and a function that lets n8n serve it.
 * @returns a function that lets n8n serve a given request and response
 */
function intercept(server, handle) {
  const listeners = server.listeners('request');
  const serve = (request, response) => listeners.forEach((listener) => listener.call(server, request, response));
  server.removeAllListeners('request');
  server.on('request', (request, response) => handle(request, response, () => serve(request, response)));
  return serve;
}

/** Calls back once, when the answer is sent or the client has disconnected. */
function whenGone({ socket }, response, callback) {
  const gone = () => {
    socket.off('close', gone);
    response.off('close', gone);
    callback();
  };
  response.once('close', gone);
  // A pipelined answer that is not first on its connection gets no close event.
  socket.once('close', gone);
}

/** Calls back on the stop signal, before n8n handles it. Kubernetes sends SIGTERM, PM2 SIGINT. */
function onStop(callback) {
  for (const signal of ['SIGTERM', 'SIGINT']) process.prependListener(signal, callback);
}

const isChunked = ({ headers }) => 'transfer-encoding' in headers;
const bodyLength = ({ headers }) => Number(headers['content-length'] ?? 0);

/** Whether a body follows the head of a request. */
const hasBody = (request) => isChunked(request) || bodyLength(request) > 0;

/**
 * Whether the connection must close after a refused request. Its body is too long to read, or the request expects "100 Continue": then
 * the client may omit the body, and the next bytes could be a body or a request.
 */
const mustClose = (request) => isChunked(request) || bodyLength(request) > SHORT_BODY || 'expect' in request.headers;

/** Sends the head of an error answer in n8n's format, and returns its body. */
function beginError(request, response, { code, message, hint, headers = {} }) {
  const text = JSON.stringify({ code, message, ...(hint && { hint }) });
  const { origin } = request.headers;
  response.writeHead(code, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
    // Without these headers a script in a browser sees a failure without a status.
    ...(origin && {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Retry-After',
      Vary: 'Origin',
    }),
  });
  return text;
}

/** Answers a request with an error before n8n sees it. The request's body is read and discarded. */
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
  // Closing a connection that has unread data resets it, and the client may lose the answer.
  response.write(text);
  const end = () => {
    clearTimeout(late);
    response.end();
  };
  const late = setTimeout(end, LINGER).unref();
  request.once('end', end);
}

module.exports = { answerError, beginError, hasBody, intercept, mustClose, onStop, refuse, serverOf, whenGone };
