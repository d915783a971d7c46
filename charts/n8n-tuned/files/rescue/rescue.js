'use strict';
/* One look at n8n after the other: lost executions of tagged workflows are started again, and the rest is reported. */
const { ApiError } = require('./api.js');
const { decide, isLost, isOlder, TOLD } = require('./decide.js');

/** Statuses that retries of a lost execution may have. Those that crashed are asked for anyway; of a success n8n says it … */
const OF_RETRIES = ['new', 'running', 'waiting', 'error', 'canceled'];
/** … but not in regular mode where the retry waited in between (read: 2.41.1, WaitTracker). */
const OF_RETRIES_THAT_WAIT = [...OF_RETRIES, 'success'];
/** Asked for once more at the end: one that waited may have gone on while the others were read. */
const ONCE_MORE = 'running';
/** Answers to a retry that say that this execution cannot be started again. */
const IMPOSSIBLE = [400, 404, 409];
/** Errors of a request that never reached n8n, and answers that say that n8n did not take it. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'];
const NOT_TAKEN = [429, 503];
/** Fates that do not change by themselves, and the number of looks after which they are read again: people may start such a one. */
const SETTLED = ['failed', 'given_up', 'expired', 'unlisted'];
const SETTLED_LOOKS = 10;
/** Fates of executions that the rescue does not start again. */
const LEFT = ['failed', 'given_up', 'expired', 'unlisted', 'unanswered'];

class Rescue {
  /**
   * When the retry of an execution was sent that is not answered, by its id: n8n does not list one that main has put into the queue.
   * If Redis loses it, n8n never answers.
   */
  #underWay = new Map();
  /** How often the retry of an execution was not answered as it should be, by its id: n8n may list no retry then. */
  #failures = new Map();
  /**
   * How many retries of an execution have ended, by its id. If n8n lists fewer, it does not save them: whether they did the work is
   * unknown, and another one might do it twice.
   */
  #ended = new Map();
  /** Number of looks, and during which one n8n answered the last retry of an execution, by its id: its lists may not show that one. */
  #looks = 0;
  #answeredIn = new Map();
  /** Executions whose fate is settled, by id: { fate, until }, and the look at which it is read again. */
  #settled = new Map();
  /** Due ones for which there was no room. */
  #next = [];
  #reported = new Set();

  /**
   * @param api n8n's public API (api.js)
   * @param metrics is told what was found and done (metrics.js)
   * @param report called with the executions that it does not start again; rejects if the report was not accepted
   * @param policy tag, atOnce (most retries at the same time), maxTries, and in milliseconds backoff, maxAge (older ones are left
   *   alone) and long (an execution that runs for longer may be lost)
   */
  constructor({ api, metrics, report, policy, now = Date.now, log = console.log }) {
    Object.assign(this, { api, metrics, report, policy, now, log });
  }

  /** Looks once. Returns promises of the retries that it started. Rejects if n8n does not answer. */
  look = () =>
    this.#lookOnce().catch((error) => {
      // What is due was known too long ago.
      this.#next = [];
      throw error;
    });

  async #lookOnce() {
    const look = ++this.#looks;
    const now = this.now();
    const since = now - this.policy.maxAge - TOLD;
    const tagged = await this.api.taggedWorkflows(this.policy.tag);
    const crashed = await this.api.executions({ status: 'crashed' }, (page) =>
      page.every((one) => isOlder(one, since)),
    );
    const isTagged = ({ workflowId }) => tagged.has(String(workflowId));
    const lost = crashed.filter((execution) => isLost(execution, since));
    const mine = lost.filter(isTagged);
    const isSettled = ({ id }) => this.#settled.get(String(id))?.until > look;
    const open = mine.filter((one) => !one.retrySuccessId && !isSettled(one));
    const retries = await this.#retriesOf(open, (workflowId) => tagged.get(workflowId).waits);
    const decided = decide([...crashed.filter(isTagged), ...retries], this.policy, now);
    const fates = decided.map((one) => ({ ...one, fate: this.#fateOf(one, look, now) }));
    this.#settle(fates, look);
    const startedBefore = new Date(now - this.policy.long).toISOString();
    const long = await this.api.executions({ status: 'running', startedBefore });
    this.metrics.looked({ fates, untagged: lost.length - mine.length, long: long.length }, now);
    await this.#reportLeft(fates);
    const answering = [...this.#underWay.keys()].filter((id) => !this.#isForLong(id, now)).length;
    const room = Math.max(0, this.policy.atOnce - answering);
    // Others have been started, and answered, since the fates were known.
    const isNew = ({ id }) => !this.#underWay.has(id) && this.#answeredIn.get(id) !== look;
    const due = fates.filter((one) => one.fate === 'due' && isNew(one));
    this.#next = due.slice(room);
    return due.slice(0, room).map((one) => this.#retryAndGoOn(one));
  }

  /** What becomes of an execution, by what is decided from n8n's lists and by what this process knows. */
  #fateOf({ id, fate, tries }, look, now) {
    if (this.#underWay.has(id)) return this.#isForLong(id, now) ? 'unanswered' : 'running';
    const settled = this.#settled.get(id);
    // Its retries were not read.
    if (settled?.until > look && fate !== 'rescued') return settled.fate;
    if (this.#answeredIn.get(id) === look) return 'pending';
    if (['due', 'pending'].includes(fate) && this.#ended.get(id) > tries) return 'unlisted';
    return fate === 'due' && this.#failures.get(id) >= this.policy.maxTries ? 'failed' : fate;
  }

  /** Keeps the fates that are settled: the retries of such an execution are not read at each look. */
  #settle(fates, look) {
    const settled = fates.filter(({ fate }) => fate === 'rescued' || SETTLED.includes(fate));
    this.#settled = new Map(
      settled.map(({ id, fate }) => {
        const known = this.#settled.get(id);
        const until = fate === 'rescued' ? Infinity : known?.until > look ? known.until : look + SETTLED_LOOKS;
        return [id, { fate, until }];
      }),
    );
  }

  /** Whether the retry of an execution goes on for so long that n8n may have lost it. It is not repeated: it may still run. */
  #isForLong = (id, now) => now - this.#underWay.get(id) > this.policy.long;

  /** Starts one again, and the next one when it has ended: thousands would else be too old before their turn. */
  async #retryAndGoOn(one) {
    for (let now = one; now; now = this.#next.shift())
      // Where n8n itself does not work, the others would fare as this one did: the next look asks again.
      if (!(await this.#retry(now))) this.#next = [];
  }

  /** Executions that may repeat one of these: newer ones of the same workflow. */
  async #retriesOf(lost, waits) {
    const oldest = new Map();
    for (const { id, workflowId } of lost) oldest.set(workflowId, Math.min(oldest.get(workflowId) ?? Infinity, id));
    const found = new Map();
    for (const [workflowId, first] of oldest)
      for (const status of [...(waits(String(workflowId)) ? OF_RETRIES_THAT_WAIT : OF_RETRIES), ONCE_MORE]) {
        const isBefore = (page) => page.every(({ id }) => Number(id) < first);
        const isRetry = ({ retryOf }) => Boolean(retryOf);
        for (const execution of await this.api.executions({ workflowId, status }, isBefore, isRetry))
          found.set(execution.id, execution);
      }
    return found.values();
  }

  /** Starts one again; resolves to whether n8n works: it answered, if only that this one cannot be started. */
  async #retry({ id, workflowId, tries }) {
    this.#underWay.set(id, this.now());
    const name = `execution ${id} of workflow ${workflowId}`;
    let isSent = false;
    try {
      if (!(await this.#isStillLost(id))) {
        this.log(`${name}: somebody has started it again`);
        return true;
      }
      this.log(`${name}: starting it again, try ${tries + 1} of ${this.policy.maxTries}`);
      isSent = true;
      await this.api.retry(id);
      this.#ended.set(id, (this.#ended.get(id) ?? tries) + 1);
      this.metrics.answered('ended');
      this.log(`${name}: its retry has ended`);
      return true;
    } catch (error) {
      const status = error instanceof ApiError ? error.status : undefined;
      const isImpossible = IMPOSSIBLE.includes(status);
      const isTaken = isSent && !NOT_SENT.includes(error.code) && !NOT_TAKEN.includes(status);
      // Else its worker died, or n8n did not answer and it goes on: the next look finds it.
      if (isImpossible) this.#failures.set(id, Infinity);
      else if (isTaken) this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
      this.metrics.answered(isImpossible ? 'refused' : 'unknown');
      this.log(`${name}: ${error.message}`);
      return isImpossible;
    } finally {
      this.#answeredIn.set(id, this.#looks);
      this.#underWay.delete(id);
    }
  }

  /** Whether an execution is lost as it was when n8n listed it. A key that may not ask leaves it at that. */
  async #isStillLost(id) {
    try {
      const { status, retrySuccessId } = await this.api.execution(id);
      return status === 'crashed' && !retrySuccessId;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return true;
      throw error;
    }
  }

  async #reportLeft(fates) {
    const left = fates.filter(({ id, fate }) => LEFT.includes(fate) && !this.#reported.has(id));
    if (left.length === 0) return;
    for (const { id, workflowId, fate, tries } of left)
      this.log(`execution ${id} of workflow ${workflowId}: ${fate} after ${tries} tries, left to people`);
    try {
      await this.report(left);
      for (const { id } of left) this.#reported.add(id);
    } catch (error) {
      this.log(`the report was not taken, and is sent again: ${error.message}`);
    }
  }
}

module.exports = { Rescue };
