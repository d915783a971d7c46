'use strict';
/*
 * Makes the Secret of a release inside the cluster: creates it with random values, or adds missing keys. It never changes
 * an existing value and never prints one. It does not generate a missing key again while a volume holds data that needs the
 * old key: the user must restore that one.
 *
 * Run by the Job of templates/secret/, with the Node.js of n8n's own image (18 or newer).
 * Environment: SECRET_NAME, SECRET_KEYS (separated by commas), SECRET_LABELS (JSON), SECRET_CLAIMS (JSON: for each key the
 * volume claims whose data needs it, and what to do if it is missing), JOB_NAME (of this Job); TOKEN_DIR for tests.
 */
const { randomBytes } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { request } = require('node:https');

const { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, JOB_NAME } = process.env;
const { SECRET_NAME, SECRET_KEYS, SECRET_LABELS, SECRET_CLAIMS } = process.env;
const dir = process.env.TOKEN_DIR || '/var/run/secrets/kubernetes.io/serviceaccount';
const read = (name) => readFileSync(`${dir}/${name}`, 'utf8');
const namespace = read('namespace').trim();
const secrets = `/api/v1/namespaces/${namespace}/secrets`;
const claimsPath = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const job = `/apis/batch/v1/namespaces/${namespace}/jobs/${JOB_NAME}`;
const tries = 5;

/**
 * A claim that was created together with this Job holds no data yet: `kubectl apply` creates objects one after the other,
 * the claim up to this long before the Job. Helm and Argo CD create it after the Job.
 */
const appliedTogetherSeconds = 60;

/** A key is missing that must not be generated again; a retry does not help. */
class Lost extends Error {}

/** Calls the API server; resolves to status and body, also of an error. */
function call(method, path, body, type = 'application/json') {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${read('token').trim()}`,
      accept: 'application/json',
      'content-type': type,
    };
    const options = {
      host: KUBERNETES_SERVICE_HOST,
      port: KUBERNETES_SERVICE_PORT,
      ca: read('ca.crt'),
      method,
      path,
      headers,
      timeout: 10000,
    };
    const asked = request(options, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        try {
          resolve({ status: answer.statusCode, body: text ? JSON.parse(text) : {} });
        } catch {
          resolve({ status: answer.statusCode, body: {} });
        }
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('the API server did not answer within 10 s')));
    asked.on('error', reject);
    asked.end(body && JSON.stringify(body));
  });
}

/** 24 random bytes as hexadecimal digits: safe in a URL, a shell and a configuration file. */
const data = (keys) =>
  Object.fromEntries(keys.map((key) => [key, Buffer.from(randomBytes(24).toString('hex')).toString('base64')]));

/** One attempt: true if the Secret now has every key, false if another client changed it meanwhile. */
async function makeSecret(keys) {
  const found = await call('GET', `${secrets}/${SECRET_NAME}`);
  if (found.status !== 200 && found.status !== 404) throw refused('read', found);
  const missing = keys.filter((key) => !(found.body.data && found.body.data[key]));
  if (missing.length === 0) return log('unchanged');
  const lost = [];
  for (const key of missing) lost.push(...(await neededBy(key)));
  if (lost.length > 0) throw new Lost(lost.join(' '));

  if (found.status === 404) {
    const metadata = { name: SECRET_NAME, labels: JSON.parse(SECRET_LABELS || '{}') };
    const created = await call('POST', secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: data(keys) });
    if (created.status === 409) return false;
    if (created.status !== 201) throw refused('create', created);
    return log(`created with ${keys.join(', ')}`);
  }

  const { resourceVersion } = found.body.metadata;
  const patch = { metadata: { resourceVersion }, data: data(missing) };
  const patched = await call('PATCH', `${secrets}/${SECRET_NAME}`, patch, 'application/merge-patch+json');
  if (patched.status === 409) return false;
  if (patched.status !== 200) throw refused('patch', patched);
  return log(`added ${missing.join(', ')}`);
}

/** The error message if a volume holds data that needs the missing key; none otherwise. */
async function neededBy(key) {
  const { claims = [], remedy } = JSON.parse(SECRET_CLAIMS || '{}')[key] || {};
  const there = [];
  for (const claim of claims) if (await mayHoldData(claim)) there.push(claim);
  if (there.length === 0) return [];
  return [`the key ${key} is missing, but data of this release needs it (volume claim ${there.join(', ')}). ${remedy}`];
}

/** Whether the claim has a volume that is older than this Job. */
async function mayHoldData(claim) {
  const found = await call('GET', `${claimsPath}/${claim}`);
  if (found.status === 404) return false;
  if (found.status !== 200) throw refused(`read the claim ${claim} for`, found);
  if (found.body.status && found.body.status.phase === 'Pending') return false;
  const own = await call('GET', job);
  if (own.status !== 200) throw refused('read this Job for', own);
  const made = ({ body }) => Date.parse(body.metadata.creationTimestamp) / 1000;
  return made(own) - made(found) > appliedTogetherSeconds;
}

function log(what) {
  console.log(`Secret ${SECRET_NAME}: ${what}`);
  return true;
}

/** Prints the message of a Status only: unlike a Secret, it contains no secret value. */
const refused = (verb, { status, body }) =>
  new Error(`the API server refused to ${verb} it with ${status}${body.kind === 'Status' ? `: ${body.message}` : ''}`);

async function run() {
  for (let attempt = 1; ; attempt++) {
    try {
      if (await makeSecret(SECRET_KEYS.split(','))) return;
      if (attempt === tries) throw new Error('another client keeps changing it');
    } catch (error) {
      if (attempt === tries || error instanceof Lost) throw error;
      console.error(`Secret ${SECRET_NAME}: ${error.message}; trying again`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200 * attempt));
  }
}

run().catch((error) => {
  console.error(`Secret ${SECRET_NAME}: ${error.message}`);
  process.exitCode = error instanceof Lost ? 3 : 1;
});
