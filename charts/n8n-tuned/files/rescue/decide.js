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
const ended = ({ startedAt, stoppedAt }) => timeOf(stoppedAt) ?? timeOf(startedAt) ?? 0;

/** Whether an execution ended before a time, in milliseconds: it may have waited for days before it crashed. */
const isOlder = (execution, since) => ended(execution) < since;

/** Whether an execution is one to rescue: it crashed, was started from outside, and is not older than a time, in milliseconds. */
function isLost(execution, since) {
  const { status, mode, retryOf } = execution;
  return status === 'crashed' && RESCUED.includes(mode) && !retryOf && !isOlder(execution, since);
}

/** For so many milliseconds an execution that became too old before its turn is told of. */
const TOLD = 3_600_000;

/**
 * What becomes of a lost execution.
 * @param retries executions that repeated it, or a retry of it
 * @param policy maxTries, and backoff: milliseconds before the first try, twice as long before each further one
 * @param now milliseconds
 * @returns `rescued`, `running` (a retry goes on), `failed` (a retry ended as an error or was canceled), `given_up` (all tries
 *   crashed), `expired` (too old before its turn), `due`, or `pending` (due later)
 */
function fateOf(execution, retries, { maxTries, backoff, maxAge }, now) {
  // A retry of a retry succeeds that one, and not the execution that it repeats.
  if ([execution, ...retries].some(({ status, retrySuccessId }) => retrySuccessId || status === 'success'))
    return 'rescued';
  if (retries.some(({ status }) => GOES_ON.includes(status))) return 'running';
  if (retries.some(({ status }) => FAILED.includes(status))) return 'failed';
  if (retries.length >= maxTries) return 'given_up';
  if (isOlder(execution, now - maxAge)) return 'expired';
  const last = Math.max(...[execution, ...retries].map(ended));
  return now >= last + backoff * 2 ** retries.length ? 'due' : 'pending';
}

/** Id of the execution that a retry repeats, also where it repeats a retry. */
function firstOf({ retryOf }, known) {
  const of = String(retryOf);
  const before = known.get(of);
  return before?.retryOf ? firstOf(before, known) : of;
}

/**
 * The lost executions with what becomes of each (see fateOf), the oldest first.
 * @param executions those of n8n's list that are lost or may be retries of them
 * @returns a list of { id, workflowId, tries, fate }
 */
function decide(executions, policy, now) {
  const known = new Map(executions.map((execution) => [String(execution.id), execution]));
  const retries = new Map();
  for (const execution of executions) {
    if (!execution.retryOf) continue;
    const of = firstOf(execution, known);
    retries.set(of, [...(retries.get(of) ?? []), execution]);
  }
  return executions
    .filter((execution) => isLost(execution, now - policy.maxAge - TOLD))
    .sort((one, other) => one.id - other.id)
    .map((execution) => {
      const id = String(execution.id);
      const own = retries.get(id) ?? [];
      const fate = fateOf(execution, own, policy, now);
      return { id, workflowId: String(execution.workflowId), tries: own.length, fate };
    });
}

module.exports = { decide, isLost, isOlder, TOLD };
