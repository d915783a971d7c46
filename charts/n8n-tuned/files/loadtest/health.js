'use strict';
/*
 * Checks that every n8n process of a release is ready, which includes its database and, on a worker, Redis. With WEBHOOK
 * also checks that this webhook is active and rejects requests without a token. Retries, since a Service lags behind its pods.
 *
 * Run by `helm test` and before a load test, with the Node.js of n8n's own image (Node 18 or newer).
 * Environment: HEALTH, URLs separated by spaces, each checked at every address of its host; WEBHOOK, a URL or empty; SECONDS,
 * how long to retry.
 */
const { lookup } = require('node:dns/promises');

const { HEALTH = '', WEBHOOK = '', SECONDS } = process.env;
const words = (text) => text.split(' ').filter(Boolean);

/** Throws if the URL does not answer 200 at every address. */
async function ready(text) {
  const url = new URL(text);
  const addresses = await lookup(url.hostname, { all: true });
  for (const { address, family } of addresses) {
    const there = new URL(url);
    there.hostname = family === 6 ? `[${address}]` : address;
    await answers(there, 200);
  }
  console.log(`${text} ready${addresses.length > 1 ? ` at ${addresses.length} addresses` : ''}`);
}

async function active(url) {
  await answers(url, 403);
  console.log(`${url} active, and rejects requests without a token`);
}

async function answers(url, expected) {
  const { status } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  if (status !== expected) throw new Error(`${url} answers ${status} instead of ${expected}`);
}

async function eventually(check) {
  for (let left = Number(SECONDS); ; left--) {
    try {
      return await check();
    } catch (error) {
      if (left <= 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

(async () => {
  for (const url of words(HEALTH)) await eventually(() => ready(url));
  for (const url of words(WEBHOOK)) await eventually(() => active(url));
})().catch((error) => {
  console.error(`${error.message}${error.cause ? `: ${error.cause.message}` : ''}`);
  process.exit(1);
});
