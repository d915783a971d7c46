'use strict';
/*
 * Puts an admission in front of n8n's HTTP server. The editor, the API, health checks and metrics never wait. The body of a
 * request is not read before it is admitted.
 */

const { pathKey, productionPaths } = require('../../lib/paths.js');
const { intercept, mustClose, onStop, refuse, whenGone } = require('../../lib/http.js');
const { awaitBody, awaitReader } = require('./body.js');

/**
 * Refusals per second that are answered at once, and the longest delay of the others in milliseconds. Without the delay, a few clients
 * that retry at once would take CPU time from executions. A client that retries on its connection before Retry-After waits longer.
 */
const REFUSALS_PER_SECOND = 500;
const LATEST_REFUSAL = 90;
const LATEST_OF_IMPATIENT = 500;
/** Milliseconds for which a request whose client has disconnected keeps its place, unless it is executed sooner. */
const LEAST_ABANDONED = 5000;
/**
 * Puts an admission in front of n8n's HTTP server.
 * @param elsewhere whether other pods take requests, too, and workers execute them: then a second refusal on a connection closes it,
 *   so that a balancer may choose another one the next time; and a request whose client has gone keeps its place until it is executed
 * @param bodySeconds for which a body may make no progress (body.js)
 * @param serve calls what serves a request of a path
 */
function guard(server, admission, { elsewhere = false, bodySeconds = 0, serve: serveOf = (_path, go) => go() } = {}) {
  const closing = new WeakSet();
  /** When the client of a connection may try again. */
  const retryAt = new WeakMap();
  const { open, inTurn } = trackConnections();
  const paced = pace(REFUSALS_PER_SECOND, LATEST_OF_IMPATIENT);
  const kindOf = productionPaths(process.env);
  const arrive = (request, response, go) => {
    const kind = kindOf(request.url);
    const isAlone = open(request, response);
    // Node closes the connection after the previous answer. An answer to this request would be lost.
    if (closing.has(request.socket)) return;
    // OPTIONS is a browser's preflight request, which starts no execution.
    if (!kind || request.method === 'OPTIONS') return go();
    inTurn(request, () => {
      if (!closing.has(request.socket)) admit(request, response, { kind, isAlone, go });
    });
  };
  const admit = (request, response, { kind, isAlone, go }) => {
    const path = pathKey(request.url, kind);
    let [leave, leaveLine, isRefused] = [undefined, () => {}, false];
    let admittedAt;
    const onGone = () => {
      leaveLine();
      if (!leave) return;
      const isServed = response.writableFinished;
      // Unknown paths and requests that n8n refuses start no execution.
      const { statusCode } = response;
      const isExecution = isServed && (statusCode < 400 || statusCode >= 500);
      // While the database is away n8n answers 503 at once, whatever executions take.
      if (!elsewhere || response.writableEnded) leave(isServed, isExecution, isExecution && statusCode < 400);
      else whenDone(response, Math.max(LEAST_ABANDONED, performance.now() - admittedAt), () => leave(false));
    };
    leaveLine = admission.arrive(
      (done) => {
        leave = done;
        admittedAt = performance.now();
        // A stream that answers a POST ends with its work.
        if (request.method === 'GET') onEventStream(response, () => done(true, false));
        awaitBody(request, response, bodySeconds);
        awaitReader(response, bodySeconds);
        try {
          serveOf(path, go);
        } catch (error) {
          done(false);
          // As it would be without the admission, whose other visitors have nothing to do with it.
          process.nextTick(() => {
            throw error;
          });
        }
      },
      (seconds, reason) => {
        isRefused = true;
        const now = performance.now();
        const before = retryAt.get(request.socket);
        // A new connection costs more than a refusal: only who came back in time, and for nothing, may try another pod.
        const closes = mustClose(request) || (elsewhere && before <= now && isAlone());
        if (closes) closing.add(request.socket);
        const answer = () => refuse(request, response, { seconds, closes });
        // A proxy sends the requests of many clients on one connection.
        const isImpatient = now < before && !isOfProxy(request);
        retryAt.set(request.socket, now + 1000 * seconds);
        // Delayed refusals take memory, too.
        if (reason === 'heap' || reason === 'ending') answer();
        else paced(answer, isImpatient ? LATEST_OF_IMPATIENT : LATEST_REFUSAL);
      },
      { resumes: kind === 'resumes', path },
    );
    // A disconnect is reported later, as an event.
    if (!isRefused) whenGone(request, response, onGone);
  };
  // A client may send many requests on one connection before it has an answer.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  const serve = intercept(server, arrive);
  // Otherwise Node would ask for the body before the request is admitted.
  server.on('checkContinue', (request, response) =>
    arrive(request, response, () => {
      response.writeContinue();
      serve(request, response);
    }),
  );
  onStop(() => admission.end());
}

/**
 * Returns a function that calls at once, or later where there are more calls than so many per second: at most so many
 * milliseconds later, `latest` or what is given with the call. No more than come in `latest` at this rate wait, so that it
 * takes no memory to speak of.
 */
function pace(perSecond, latest, now = () => performance.now()) {
  const most = (perSecond * latest) / 1000;
  let next = -Infinity;
  let waiting = 0;
  return (call, latestOfCall = latest) => {
    const at = now();
    // The calls of one second may come at once. A burst delays later calls by at most `latest`.
    next = Math.min(Math.max(next, at - 1000) + 1000 / perSecond, at + latest);
    if (next <= at || waiting >= most) return call();
    waiting++;
    setTimeout(
      () => {
        waiting--;
        call();
      },
      Math.min(next - at, latestOfCall),
    );
  };
}

/**
 * The requests of each connection. A client may send several without waiting for answers. Node sends the answers one after the other, so
 * that a request which is answered would hold its place until those before it are: they are begun one after the other, too.
 *
 * open(request, response) counts one until it is answered, and returns a function that tells whether no other one is open.
 * inTurn(request, begin) calls back when those before it are answered, and not at all if the connection ends before.
 */
function trackConnections() {
  const connections = new WeakMap();
  const open = ({ socket }, response) => {
    const connection = connections.get(socket) ?? { count: 0, waiting: [] };
    connections.set(socket, connection);
    connection.count++;
    response.once('close', () => {
      connection.count--;
      if (socket.destroyed) connection.waiting = [];
      connection.waiting.shift()?.();
    });
    return () => connection.count === 1;
  };
  const inTurn = ({ socket }, begin) => {
    const { count, waiting } = connections.get(socket);
    if (count === 1) return begin();
    waiting.push(() => {
      // It was that of the answer before (awaitReader).
      socket.setTimeout(0);
      begin();
    });
  };
  return { open, inTurn };
}

/**
 * Calls back when n8n answers a request whose client has gone: a worker executes it until then, and a place that was free sooner
 * would add to what the workers cannot do. At the latest it is after so many milliseconds: n8n does not answer each that it was
 * told to cancel.
 */
function whenDone(response, latest, callback) {
  const { end } = response;
  const timer = setTimeout(callback, latest).unref();
  response.end = function (...args) {
    clearTimeout(timer);
    callback();
    return end.apply(this, args);
  };
}

/** An event stream is a subscription that may last for days: it keeps its connection, but not its place. */
function onEventStream(response, done) {
  const { writeHead } = response;
  response.writeHead = function (...args) {
    const result = writeHead.apply(this, args);
    // Node does not keep headers that are given here, where none was set before.
    const given = Object.entries(args.at(-1) ?? {}).find(([name]) => /^content-type$/i.test(name))?.[1];
    if (/^text\/event-stream/i.test(String(given ?? this.getHeader('content-type') ?? ''))) done();
    return result;
  };
}

const isOfProxy = ({ headers }) => 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;

module.exports = { guard, pace };
