'use strict';
/* Counts the webhook executions that n8n holds, by the paths that started them. */
const { AsyncLocalStorage } = require('node:async_hooks');
const { containerOf, requireN8nModules } = require('../../lib/n8n-modules.js');

/** Pause between counts, in multiples of the time that a count takes: counting costs at most 5 % of the time. */
const COUNT_PAUSE = 19;
/** Milliseconds of the longest pause between counts: a slow count may have been due to a garbage collection. */
const LONGEST_PAUSE = 250;

/** The path of the request that is being served. */
const servedPath = new AsyncLocalStorage();

/**
 * Counts the executions of webhooks in this process.
 * @param elsewhere whether workers execute them
 * @returns `count`, as `executions` of an Admission, and `serve(path, go)`, which serves a request so that its execution is counted for
 *   its path
 * @throws Error if this n8n keeps its executions elsewhere
 */
function executionsHere(elsewhere) {
  const modules = requireN8nModules();
  const { ActiveExecutions } = modules.require(modules.path);
  const active = containerOf(modules.require).get(ActiveExecutions);
  const pathOf = elsewhere ? () => undefined : recordPaths(active);
  countIn(active, elsewhere, -Infinity, pathOf);
  return {
    count: sparingly((since) => countIn(active, elsewhere, since, pathOf)),
    serve: elsewhere ? (_path, go) => go() : (path, go) => servedPath.run(path, go),
  };
}

/** Records the path that starts each new execution. Returns a function that finds the path by an execution's data. */
function recordPaths(active) {
  const paths = new WeakMap();
  const add = active.add.bind(active);
  active.add = (data, ...others) => {
    const path = servedPath.getStore();
    if (path !== undefined) paths.set(data, path);
    return add(data, ...others);
  };
  return (data) => paths.get(data);
}

/**
 * Executions of webhooks among n8n's active ones: `held` in memory; of those that began at a time or later, in milliseconds of
 * performance.now(), `all` that take a place, and `answered` of them, also by path as `of`. Those that wait in the database may do so
 * for days, and count nowhere.
 * @param pathOf tells the path by which an execution was started, of its data
 */
function countIn({ activeExecutions, responseModes }, elsewhere, since, pathOf = () => undefined) {
  let [held, all, answered] = [0, 0, 0];
  const of = new Map();
  for (const [id, { status, executionData, startedAt }] of Object.entries(activeExecutions)) {
    if (status === 'waiting' || executionData?.executionMode !== 'webhook') continue;
    held++;
    if (startedAt - performance.timeOrigin < since) continue;
    all++;
    // n8n 2.x records it just before it answers. Older versions do not.
    const isAnswered = responseModes?.get(id) === 'onReceived';
    if (isAnswered) answered++;
    const path = pathOf(executionData);
    if (path === undefined) continue;
    const counts = of.get(path) ?? { all: 0, answered: 0 };
    of.set(path, { all: counts.all + 1, answered: counts.answered + Number(isAnswered) });
  }
  return elsewhere ? { all: 0, answered: 0, held, of: new Map() } : { all, answered, held, of };
}

/** Caches the last answer of `ask` for a time proportional to the call's duration, until the question changes. */
function sparingly(ask) {
  let [asked, answer, until] = [undefined, undefined, 0];
  return (question) => {
    const from = performance.now();
    if (from < until && question === asked) return answer;
    asked = question;
    answer = ask(question);
    const to = performance.now();
    until = to + Math.min(LONGEST_PAUSE, COUNT_PAUSE * (to - from));
    return answer;
  };
}

module.exports = { countIn, executionsHere, sparingly };
