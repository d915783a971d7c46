'use strict';
/*
 * Which crashed executions are started again. What was tried is read from n8n's own list of executions, so that a restart forgets no
 * try. It knows neither HTTP (api.js) nor the clock.
 */

/** Modes of executions that something outside started. Sub-workflows are started again by their parents. */
const RESCUED = ['webhook', 'trigger', 'chat', 'error'];
/** Statuses of a retry that goes on … */
const GOES_ON = ['new', 'running', 'waiting', 'unknown'];
/** … and of one that ended otherwise than by a crash: the workflow itself failed, or somebody stopped it. */
const FAILED = ['error', 'canceled'];

const timeOf = (text) => (text ? Date.parse(text) : undefined);
const began = ({ startedAt, stoppedAt }) => timeOf(startedAt) ?? timeOf(stoppedAt) ?? 0;
const ended = ({ startedAt, stoppedAt }) => timeOf(stoppedAt) ?? timeOf(startedAt) ?? 0;

/** Whether an execution began before a time, in milliseconds; if it never began: whether it ended before. */
const isOlder = (execution, since) => began(execution) < since;

/** Whether an execution is one to rescue: it crashed, was started from outside, and is not older than a time, in milliseconds. */
function isLost(execution, since) {
  const { status, mode, retryOf } = execution;
  return status === 'crashed' && RESCUED.includes(mode) && !retryOf && !isOlder(execution, since);
}

/**
 * What becomes of a lost execution.
 * @param retries executions that repeated it
 * @param policy maxTries, and backoff: milliseconds before the first try, twice as long before each further one
 * @param now milliseconds
 * @returns `rescued`, `running` (a retry goes on), `failed` (a retry ended as an error or was canceled), `given_up` (all tries
 *   crashed), `due`, or `pending` (due later)
 */
function fateOf(execution, retries, { maxTries, backoff }, now) {
  if (execution.retrySuccessId) return 'rescued';
  if (retries.some(({ status }) => GOES_ON.includes(status))) return 'running';
  if (retries.some(({ status }) => FAILED.includes(status))) return 'failed';
  if (retries.length >= maxTries) return 'given_up';
  const last = Math.max(...[execution, ...retries].map(ended));
  return now >= last + backoff * 2 ** retries.length ? 'due' : 'pending';
}

/**
 * The lost executions with what becomes of each (see fateOf), the oldest first.
 * @param executions those of n8n's list that are lost or may be retries of them
 * @returns a list of { id, workflowId, tries, fate }
 */
function decide(executions, policy, now) {
  const retries = new Map();
  for (const execution of executions) {
    if (!execution.retryOf) continue;
    const of = String(execution.retryOf);
    retries.set(of, [...(retries.get(of) ?? []), execution]);
  }
  return executions
    .filter((execution) => isLost(execution, now - policy.maxAge))
    .sort((one, other) => one.id - other.id)
    .map((execution) => {
      const id = String(execution.id);
      const own = retries.get(id) ?? [];
      const fate = fateOf(execution, own, policy, now);
      return { id, workflowId: String(execution.workflowId), tries: own.length, fate };
    });
}

module.exports = { decide, isLost, isOlder };
