'use strict';
/*
 * Times out request bodies that do not arrive and answers that clients do not read. A request takes its place when its headers have arrived. Without this, a client that sends headers and
 * one byte keeps the place until Node ends the request after 300 s, and a few such clients keep all places. The
 * same holds for clients that do not read their answers.
 */
const { beginError, hasBody } = require('../../lib/http.js');

/** Bytes per second from which a body counts as making progress (chosen: half of what a slow modem sends; mod_reqtimeout of Apache has 500). */
const SLOWEST = 500;

/**
 * Answers 408, and closes the connection, if the body of a request makes no progress for a number of seconds.
 * @param seconds without progress; 0 for Node's own limit
 */
function awaitBody(request, response, seconds) {
  if (!(seconds > 0) || !hasBody(request)) return;
  let received = request.socket.bytesRead;
  const look = () => {
    if (request.complete || request.destroyed || response.writableEnded) return;
    const before = received;
    received = request.socket.bytesRead;
    if (received - before >= SLOWEST * seconds || isHeldBack(request)) return next();
    answerLate(request, response, seconds);
  };
  // A busy process runs timers late. setImmediate lets it read the data that has arrived before the check.
  let timer;
  const next = () => {
    timer = setTimeout(() => setImmediate(look), 1000 * seconds).unref();
  };
  response.once('close', () => clearTimeout(timer));
  next();
}

/** Whether n8n has not read the data that has arrived, so that the client cannot send more. */
const isHeldBack = (request) => request.readableLength >= request.readableHighWaterMark;

/**
 * Closes the connection of a client that does not read its answer for a number of seconds: a request keeps its place until its answer is
 * sent. Node has no limit for that; what the client reads, however little, begins the time again.
 * @param seconds 0: no limit
 */
function awaitReader(response, seconds) {
  if (!(seconds > 0)) return;
  // n8n has ended its answer. Node sets the time for the next request afterwards.
  response.once('prefinish', () => {
    const { socket } = response;
    if (socket?.writableLength > 0) socket.setTimeout(1000 * seconds);
  });
}

function answerLate(request, response, seconds) {
  const { socket } = request;
  if (response.headersSent) return socket.destroy();
  const text = beginError(request, response, {
    code: 408,
    message: 'The body of the request did not arrive.',
    hint: `Send at least ${SLOWEST} bytes a second; n8n waits ${seconds} s for the next ones.`,
    headers: { Connection: 'close' },
  });
  // n8n answers, too, when it sees that the request has been aborted.
  response.once('finish', () => socket.destroySoon());
  response.end(text);
}

module.exports = { awaitBody, awaitReader };
