'use strict';
/*
 * Admission: how many requests to production paths n8n works on at once. Without it, n8n takes every request that arrives;
 * each holds memory until it is answered, and so a crowd ends in an OOM kill (docs/overload.md).
 *
 * At most MAX_REQUESTS are under way. The next ones wait in a line, first in, first out; all others are answered at once with
 * 503 and Retry-After. The editor, the API, health checks and metrics never wait. The body of a request is not read before it
 * is admitted. In regular mode an execution that goes on after its answer counts, too, since it holds memory in this process.
 * A request that resumes an execution may exceed the limit a little: others may have places until it has come.
 */
const { createRequire } = require('node:module');

/** Variables of the first segment of production paths, with n8n's defaults (read: 2.41.1, endpoints.config). */
const BEGINNING = { N8N_ENDPOINT_WEBHOOK: 'webhook', N8N_ENDPOINT_FORM: 'form', N8N_ENDPOINT_MCP: 'mcp' };
const RESUMING = { N8N_ENDPOINT_WEBHOOK_WAIT: 'webhook-waiting', N8N_ENDPOINT_FORM_WAIT: 'form-waiting' };
/** Requests that resume an execution may exceed the limit by this share of it, and by two at least. */
const SPARE = 0.1;
const LEAST_SPARE = 2;
/** Milliseconds between two looks at the line: for requests that waited too long, and for executions that have ended. */
const LOOK = 50;
/** The time to wait is predicted from what left in this many milliseconds at least, and about so many at most. */
const LEAST_HISTORY = 1000;
const MOST_HISTORY = 10_000;
/**
 * A line absorbs a burst. One that has lasted for this long, in milliseconds, absorbs nothing: it only makes every answer late.
 * From then on nobody waits longer than this share of the longest wait (a standing queue, as CoDel treats it).
 */
const STANDING = 5000;
const STANDING_SHARE = 0.25;
/** Milliseconds for which the body of a refused request is read and thrown away, so that its client reads the answer. */
const LINGER = 1000;
/** Bytes of a body that is read to its end, so that the connection of a refused request can be used again. */
const SHORT_BODY = 65_536;
/** Executions are counted again after this many times as long as that took: it costs 5 % of the time at most. */
const COUNT_PAUSE = 19;
/** Seconds of Retry-After: at least, and at most. Chance spreads clients that were refused together. */
const LEAST_RETRY = 1;
const MOST_RETRY = 30;

/** The admission that the variables of the chart ask for; undefined if they ask for none. */
function admissionOf(env) {
  if (!env.N8N_TUNED_MAX_REQUESTS) return undefined;
  const most = Number(env.N8N_TUNED_MAX_REQUESTS);
  const line = Number(env.N8N_TUNED_MAX_WAITING);
  const longest = 1000 * Number(env.N8N_TUNED_MAX_WAIT_SECONDS);
  return new Admission({
    most,
    line,
    longest,
    ...(env.EXECUTIONS_MODE !== 'queue' && { executions: executionsHere() }),
  });
}

/** Who is under way, who waits and who is refused; it knows nothing of HTTP. Times are in milliseconds. */
class Admission {
  /** Visitors under way; each leaves once. */
  open = 0;
  admitted = 0;
  refused = { line: 0, wait: 0, ending: 0 };
  /** Called with the milliseconds that a visitor waited, when it is admitted. */
  onWait = () => {};
  #ending = false;
  /** Of { enter, refuse, since }, in the order of arrival. */
  #line = new Set();
  /** Since when there has been a line. */
  #lineSince = 0;
  /** How many left since then; see #expected. */
  #since = 0;
  #left = 0;
  #timer;

  /** @param executions of webhooks that go on in this process: `all`, and `answered` of them, as far as n8n tells */
  constructor({ most, line, longest, executions = () => NONE, now = () => performance.now() }) {
    Object.assign(this, { most, line, longest, executions, now });
  }

  get waiting() {
    return this.#line.size;
  }

  /** Open requests and executions that go on after their answer; or all executions, where there are more. */
  get underWay() {
    const { all, answered } = this.executions();
    return Math.max(this.open + answered, all);
  }

  /**
   * A visitor arrives.
   * @param enter called now or later, with a function that it must call when it leaves
   * @param refuse called, with the seconds after which it may try again, if it may not enter
   * @param resumes whether others may be under way until it has come
   * @returns a function that takes a visitor that went away out of the line
   */
  arrive(enter, refuse, resumes = false) {
    const visitor = { enter, refuse, since: this.now() };
    if (this.#ending) this.#refuse(visitor, 'ending');
    else if (this.#line.size === 0 && this.#hasRoom()) this.#admit(visitor);
    else if (resumes && this.#hasRoom(Math.max(LEAST_SPARE, SPARE * this.most))) this.#admit(visitor);
    else if (this.#line.size >= this.line) this.#refuse(visitor, 'line');
    else if (this.#expected() > this.#allowed()) this.#refuse(visitor, 'wait');
    else this.#join(visitor);
    return () => this.#line.delete(visitor);
  }

  /** The process ends: whoever waits, or comes now, is refused. */
  end() {
    this.#ending = true;
    for (const visitor of this.#line) this.#refuse(visitor, 'ending');
  }

  #hasRoom(spare = 0) {
    return this.underWay < this.most + spare;
  }

  #admit(visitor) {
    this.#line.delete(visitor);
    this.open++;
    this.admitted++;
    this.onWait(this.now() - visitor.since);
    let left = false;
    visitor.enter(() => {
      if (left) return;
      left = true;
      this.open--;
      this.#left++;
      this.#advance();
    });
  }

  #refuse(visitor, reason) {
    this.#line.delete(visitor);
    this.refused[reason]++;
    const wait = this.#expected();
    const seconds = Math.ceil((Number.isFinite(wait) ? wait : 0) / 1000 + Math.random());
    visitor.refuse(Math.min(MOST_RETRY, Math.max(LEAST_RETRY, seconds)));
  }

  #join(visitor) {
    if (this.#line.size === 0) {
      this.#lineSince = visitor.since;
      this.#since = visitor.since;
      this.#left = 0;
    }
    this.#line.add(visitor);
    this.#timer ??= setInterval(() => this.#look(), LOOK).unref();
  }

  #advance() {
    for (const visitor of this.#line) {
      if (!this.#hasRoom()) return;
      this.#admit(visitor);
    }
  }

  #look() {
    this.#advance();
    for (const visitor of this.#line) {
      if (this.now() - visitor.since < this.#allowed()) break;
      this.#refuse(visitor, 'wait');
    }
    if (this.#line.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Milliseconds for which a visitor may wait now. */
  #allowed() {
    const isStanding = this.#line.size > 0 && this.now() - this.#lineSince > STANDING;
    return isStanding ? this.longest * STANDING_SHARE : this.longest;
  }

  /** Milliseconds that the next visitor would wait, at the rate at which visitors left of late; 0 if that is not known yet. */
  #expected() {
    if (this.#line.size === 0) return 0;
    const history = this.now() - this.#since;
    if (history < LEAST_HISTORY || this.#left === 0) return 0;
    const expected = ((this.#line.size + 1) * history) / this.#left;
    if (history > MOST_HISTORY) {
      this.#since += history / 2;
      this.#left /= 2;
    }
    return expected;
  }
}

/**
 * Puts an admission in front of n8n's HTTP server.
 * @param elsewhere whether other pods take requests, too: then a refusal closes the connection, so that a balancer may choose
 *   another one the next time
 */
function guard(server, admission, elsewhere = false) {
  const kindOf = productionPaths(process.env);
  const listeners = server.listeners('request');
  const serve = (request, response) => listeners.forEach((listener) => listener.call(server, request, response));
  const arrive = (request, response, go) => {
    const kind = kindOf(request.url);
    // A browser asks by OPTIONS whether it may send the request: no execution answers that.
    if (!kind || request.method === 'OPTIONS') return go();
    let leave = () => {};
    const leaveLine = admission.arrive(
      (done) => {
        leave = done;
        // A stream that answers a POST ends with its work.
        if (request.method === 'GET') onEventStream(response, done);
        go();
      },
      (seconds) => refuse(request, response, { seconds, elsewhere }),
      kind === 'resumes',
    );
    whenGone(request, response, () => {
      leaveLine();
      leave();
    });
  };
  // A client may send many requests on one connection before it has an answer.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  server.removeAllListeners('request');
  server.on('request', (request, response) => arrive(request, response, () => serve(request, response)));
  // Node would ask for the body before anybody has admitted the request.
  server.on('checkContinue', (request, response) =>
    arrive(request, response, () => {
      response.writeContinue();
      serve(request, response);
    }),
  );
  onStop(() => admission.end());
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

/**
 * Returns what a URL does: `begins` or `resumes` an execution, or undefined. Express ignores the case of letters and reads a
 * backslash as a slash, and a proxy may send a whole URL.
 */
function productionPaths(env) {
  const prefixes = (paths) => Object.entries(paths).map(([name, path]) => `/${env[name] || path}/`.toLowerCase());
  const [beginning, resuming] = [prefixes(BEGINNING), prefixes(RESUMING)];
  return (url) => {
    const path = url
      .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
      .replaceAll('\\', '/')
      .toLowerCase();
    const isOf = (all) => all.some((prefix) => path.startsWith(prefix));
    return isOf(resuming) ? 'resumes' : isOf(beginning) ? 'begins' : undefined;
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

/** Answers 503. */
function refuse(request, response, { seconds, elsewhere }) {
  if (response.destroyed) return;
  const text = JSON.stringify({
    code: 503,
    message: 'n8n is at its limit of requests.',
    hint: `Try again in ${seconds} s.`,
  });
  const chunked = 'transfer-encoding' in request.headers;
  const length = Number(request.headers['content-length'] ?? 0);
  const closes = elsewhere || chunked || length > SHORT_BODY;
  const { origin } = request.headers;
  response.writeHead(503, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Retry-After': seconds,
    ...(closes && { Connection: 'close' }),
    // Else a script in a browser sees a failure without a status.
    ...(origin && {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Retry-After',
      Vary: 'Origin',
    }),
  });
  request.resume();
  if (!closes || (!chunked && length === 0)) return response.end(text);
  // To close a connection with unread data on it resets it, and the client may lose the answer.
  response.write(text);
  const end = () => response.end();
  request.once('end', end);
  setTimeout(end, LINGER).unref();
}

const ACTIVE_EXECUTIONS = /[\\/]n8n[\\/]dist[\\/](active-executions|ActiveExecutions)\.js$/;

/** n8n's own require, found by a module that n8n has loaded; the path of that module. */
function n8nModules() {
  const path = Object.keys(require.cache).find((file) => ACTIVE_EXECUTIONS.test(file));
  return path && { path, require: createRequire(path) };
}

const NONE = { all: 0, answered: 0 };

/** Returns a function that counts the executions of webhooks in this process, without those that wait in the database. */
function executionsHere() {
  const modules = n8nModules();
  if (!modules) return () => NONE;
  try {
    const { ActiveExecutions } = modules.require(modules.path);
    const active = containerOf(modules.require).get(ActiveExecutions);
    const count = () => {
      let [all, answered] = [0, 0];
      for (const [id, { status, executionData }] of Object.entries(active.activeExecutions)) {
        if (status === 'waiting' || executionData?.executionMode !== 'webhook') continue;
        all++;
        // n8n 2.x notes it just before it answers; older ones do not tell.
        if (active.responseModes?.get(id) === 'onReceived') answered++;
      }
      return { all, answered };
    };
    count();
    return sparingly(count);
  } catch (error) {
    console.warn(`admission: executions that go on after their answer are not counted: ${error.message}`);
    return () => NONE;
  }
}

/** The function, whose answer is kept for a time after a call that took long. */
function sparingly(ask) {
  let [answer, until] = [undefined, 0];
  return () => {
    const from = performance.now();
    if (from < until) return answer;
    answer = ask();
    const to = performance.now();
    until = to + COUNT_PAUSE * (to - from);
    return answer;
  };
}

/** n8n's dependency injection: typedi before it had its own. */
function containerOf(requireOfN8n) {
  try {
    return requireOfN8n('@n8n/di').Container;
  } catch {
    return requireOfN8n('typedi').Container;
  }
}

/** Registers what happens here with n8n's own /metrics. */
function publish(admission, env) {
  const modules = n8nModules();
  if (!modules || env.N8N_METRICS !== 'true') return;
  const { Counter, Gauge, Histogram } = modules.require('prom-client');
  const prefix = `${env.N8N_METRICS_PREFIX ?? 'n8n_'}admission_`;
  const metric = (Kind, name, help, labelNames, collect) =>
    new Kind({ name: prefix + name, help, labelNames, collect });
  metric(Gauge, 'requests_under_way', 'Requests to production paths that are under way', [], function () {
    this.set(admission.underWay);
  });
  metric(Gauge, 'requests_waiting', 'Requests that wait in the line', [], function () {
    this.set(admission.waiting);
  });
  metric(Gauge, 'requests_limit', 'Requests that may be under way at once', [], function () {
    this.set(admission.most);
  });
  metric(Counter, 'admitted_total', 'Requests that were admitted', [], function () {
    this.reset();
    this.inc(admission.admitted);
  });
  metric(Counter, 'refused_total', 'Requests answered with 503', ['reason'], function () {
    this.reset();
    for (const [reason, count] of Object.entries(admission.refused)) this.inc({ reason }, count);
  });
  const wait = new Histogram({
    name: `${prefix}wait_seconds`,
    help: 'Time that admitted requests waited in the line',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
  });
  admission.onWait = (milliseconds) => wait.observe(milliseconds / 1000);
}

/** n8n's `ready` hook. */
function admitRequests({ server }) {
  const admission = admissionOf(process.env);
  if (!admission) return;
  // Only in queue mode can there be several processes that take them.
  guard(server, admission, process.env.EXECUTIONS_MODE === 'queue');
  publish(admission, process.env);
}

module.exports = { Admission, admitRequests, guard, onStop, productionPaths, sparingly, whenGone };
