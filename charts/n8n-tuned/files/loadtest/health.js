'use strict';
/*
 * Asks every n8n process of a release whether it is ready, which includes its database and, on a worker, Redis; and with
 * WEBHOOK whether that webhook is active and refuses who has no token. Tries for a while, since a Service lags behind its pods.
 *
 * Run by `helm test` and before a load test, with node of n8n's own image (Node 18 or newer).
 * HEALTH: URLs separated by spaces, each asked at every address of its host; WEBHOOK: a URL, or empty; SECONDS.
 */
const { lookup } = require('node:dns/promises');

const { HEALTH = '', WEBHOOK = '', SECONDS } = process.env;
const words = (text) => text.split(' ').filter(Boolean);

/** Throws what is wrong. */
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
  console.log(`${url} active, and refuses who has no token`);
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
