#!/usr/bin/env node
/**
 * k6.mjs version | run --out csv=FILE SCRIPT: stands in for k6. It sends a few requests to a webhook within a second,
 * whatever the step's length, writes its samples when it ends, and ends at SIGINT as k6 does.
 */
import { basename } from 'node:path';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

const [command, ...args] = process.argv.slice(2);
if (command === 'version') {
  console.log('k6 v2.2.0');
  process.exit();
}

const REQUESTS = 15;
const csv = args.find((arg) => arg.startsWith('csv=')).slice(4);
const workload = basename(args.at(-1), '.js');
const { BASE_URL, TOKEN, MODEL, WEBHOOK_PATH = `/webhook/${workload}` } = process.env;
const rows = [];
const stopped = new AbortController();
process.on('SIGINT', () => stopped.abort());

/** Closed steps count the requests after their first second. */
const pauseMs = (MODEL === 'closed' ? 1300 : 600) / REQUESTS;
for (let i = 0; i < REQUESTS && !stopped.signal.aborted; i++) {
  const [url] = BASE_URL.split(',');
  const sentAt = Date.now();
  const headers = { 'x-load-target-token': TOKEN || 'none' };
  const answer = await fetch(url + WEBHOOK_PATH, { headers }).then(
    async (response) => [response.status, await response.text()],
    () => [0],
  );
  const fault = answer[0] === 200 ? '' : answer[0] === 0 ? '&fault=c1212' : `&fault=s${answer[0]}`;
  const tags = `workload=${workload}&phase=measure${fault}`;
  const took = Date.now() - sentAt;
  rows.push(`latency,${(sentAt + took) * 1000},${took},,,${workload}_0_measure,,${tags}`);
  await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => {});
}
const HEADER = 'metric_name,timestamp,metric_value,error_code,expected_response,scenario,status,extra_tags';
writeFileSync(csv, gzipSync([HEADER, ...rows, ''].join('\n')));
// As k6 does where a script fails; the URL is that of the webhook, query string included.
const fails = process.env.K6_STUB_FAILS && MODEL !== 'closed';
if (fails) console.error(`request failed: Get "${BASE_URL}${WEBHOOK_PATH}": EOF`);
process.exitCode = fails ? 107 : stopped.signal.aborted ? 105 : 0;
