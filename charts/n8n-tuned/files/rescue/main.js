'use strict';
/*
 * The rescue: starts crashed executions of the workflows with a tag again. Run by the Deployment of templates/rescue, with the
 * Node.js of n8n's own image.
 *
 * Environment: N8N_API_URL, N8N_API_KEY; RESCUE_TAG; RESCUE_INTERVAL_SECONDS between two looks; RESCUE_AT_ONCE, RESCUE_MAX_TRIES,
 * RESCUE_BACKOFF_SECONDS, RESCUE_MAX_AGE_HOURS, RESCUE_LONG_MINUTES (rescue.js); RESCUE_REPORT_URL, which gets a POST with what is left
 * to people, or empty; RESCUE_PORT of health and metrics.
 */
const { setTimeout: sleep } = require('node:timers/promises');
const { Api, isSuccess, send } = require('./api.js');
const { Metrics, serve } = require('./metrics.js');
const { Rescue } = require('./rescue.js');

/** A look that goes on for so many milliseconds hangs: the kubelet restarts the container. */
const HANGS = 600_000;

const { env } = process;
/** A Secret that was made from a file often ends with a new line, which no header may hold. */
const key = env.N8N_API_KEY.trim();
const reportUrl = env.RESCUE_REPORT_URL?.trim();
const interval = 1000 * env.RESCUE_INTERVAL_SECONDS;
const metrics = new Metrics();
let turnedAt = Date.now();

async function report(executions) {
  if (!reportUrl) return;
  const { status } = await send(reportUrl, { method: 'POST', body: { executions } });
  if (!isSuccess(status)) throw new Error(`it was answered with ${status}`);
}

const rescue = new Rescue({
  api: new Api(env.N8N_API_URL, key),
  metrics,
  report,
  policy: {
    tag: env.RESCUE_TAG,
    atOnce: Number(env.RESCUE_AT_ONCE),
    maxTries: Number(env.RESCUE_MAX_TRIES),
    backoff: 1000 * env.RESCUE_BACKOFF_SECONDS,
    maxAge: 3_600_000 * env.RESCUE_MAX_AGE_HOURS,
    long: 60_000 * env.RESCUE_LONG_MINUTES,
  },
});

async function run() {
  for (;;) {
    turnedAt = Date.now();
    try {
      await rescue.look();
    } catch (error) {
      console.log(`n8n cannot be asked now: ${error.message}`);
    }
    await sleep(interval);
  }
}

// A retry goes on in n8n when the rescue ends.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
serve(Number(env.RESCUE_PORT), metrics, () => Date.now() - turnedAt < interval + HANGS);
void run();
