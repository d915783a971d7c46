'use strict';
/*
 * Makes the Secret of a release inside the cluster, once: creates it with random values, or adds the keys that are
 * missing from it. A value that is there is never changed, and none is ever printed. A key that is missing although
 * there is a volume whose data needs it is not made anew: the old one must come back.
 *
 * Run by the Job of templates/secret/, with node of n8n's own image (18 or newer).
 * SECRET_NAME, SECRET_KEYS (separated by commas), SECRET_LABELS (JSON), SECRET_CLAIMS (JSON: the volume claims whose data
 * needs a key, and what to do without it), JOB_NAME (its own); TOKEN_DIR for tests.
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
 * A claim that was made with this Job holds nothing yet: `kubectl apply` makes one object after the other, the claim up to
 * this long before the Job. Helm and Argo CD make it after the Job.
 */
const appliedTogetherSeconds = 60;

/** The key of this Job cannot be made, and trying again does not help. */
class Lost extends Error {}

/** Asks the API server; resolves to its status and body whatever they are. */
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

/** One attempt: true when the Secret has every key, false when somebody else changed it meanwhile. */
async function makeSecret(keys) {
  const found = await call('GET', `${secrets}/${SECRET_NAME}`);
  if (found.status !== 200 && found.status !== 404) throw refused('read', found);
  const missing = keys.filter((key) => !(found.body.data && found.body.data[key]));
  if (missing.length === 0) return log('kept as it is');
  const lost = [];
  for (const key of missing) lost.push(...(await neededBy(key)));
  if (lost.length > 0) throw new Lost(lost.join(' '));

  if (found.status === 404) {
    const metadata = { name: SECRET_NAME, labels: JSON.parse(SECRET_LABELS || '{}') };
    const created = await call('POST', secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: data(keys) });
    if (created.status === 409) return false;
    if (created.status !== 201) throw refused('create', created);
    return log(`made with ${keys.join(', ')}`);
  }

  const { resourceVersion } = found.body.metadata;
  const patch = { metadata: { resourceVersion }, data: data(missing) };
  const patched = await call('PATCH', `${secrets}/${SECRET_NAME}`, patch, 'application/merge-patch+json');
  if (patched.status === 409) return false;
  if (patched.status !== 200) throw refused('patch', patched);
  return log(`added ${missing.join(', ')}`);
}

/** What to say where a volume holds data that needs the key that is gone. */
async function neededBy(key) {
  const { claims = [], remedy } = JSON.parse(SECRET_CLAIMS || '{}')[key] || {};
  const there = [];
  for (const claim of claims) if (await mayHoldData(claim)) there.push(claim);
  if (there.length === 0) return [];
  return [`the key ${key} is missing, but data of this release is there (volume claim ${there.join(', ')}). ${remedy}`];
}

/** Whether the claim has a volume that was there before this Job. */
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

/** A Status has no secret value in it, unlike a Secret. */
const refused = (verb, { status, body }) =>
  new Error(`the API server refused to ${verb} it with ${status}${body.kind === 'Status' ? `: ${body.message}` : ''}`);

async function run() {
  for (let attempt = 1; ; attempt++) {
    try {
      if (await makeSecret(SECRET_KEYS.split(','))) return;
      if (attempt === tries) throw new Error('somebody else keeps changing it');
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
