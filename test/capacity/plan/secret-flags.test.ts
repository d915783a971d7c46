import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../../../capacity/src/program.js';
import { messageOf } from '../../../capacity/src/core/errors.js';
import type { ValidateOptions } from '../../../capacity/src/plan/options.js';
import { redactedPlan } from '../../../capacity/src/plan/redact.js';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';

const folder = mkdtempSync(join(tmpdir(), 'flags-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** Stands wherever a flag takes text that can be secret. */
const MARKER = 'hunter2';
const UUID = '1a2b3c4d-1111-4222-8333-444455556666';
const REST = UUID.slice(8);

/** Flags with text of the user that can hold a secret, and where it is planted here or in test/integration/secrets.test.ts. */
const TEXT = [
  ...['--set', '--set-string', '--set-json', '--set-file', '--values', '--env', '--chart', '--manifests', '--webhook'],
  ...['--workflow', '--sub-workflow', '--credentials', '--body', '--headers', '--query', '--output', '--s3-endpoint'],
  ...['--url', '--metrics-url', '--redis-url', '--postgres-url', '--setting'],
];

/** Flags that take a number, a time, a name from a list, a version, or a file of which nothing but the name is recorded. */
const NO_SECRET = [
  ...[
    '--profile',
    '--n8n',
    '--workload',
    '--mix',
    '--target',
    '--per-day',
    '--peak',
    '--headroom',
    '--rates',
    '--rate',
  ],
  ...['--times', '--clients', '--slo', '--precision', '--seed-executions', '--step-duration', '--warmup', '--drain'],
  ...['--timeout', '--port', '--arrivals', '--seed', '--junit', '--markdown', '--watch', '--provisioner', '--html'],
  ...[
    '--kube-context',
    '--generators',
    '--method',
    '--expect-status',
    '--service-time',
    '--execution-time',
    '--max-rate',
  ],
  ...['--duration', '--horizon', '--base', '--spike', '--for', '--cron', '--drain-within', '--concurrency', '--hold'],
  ...['--budget', '--accept', '--from', '--to', '--pairs', '--executions', '--fault', '--work', '--after', '--settle'],
  ...['--since', '--max-cost', '--deployments', '--soak', '--cpu-price', '--memory-price', '--noise', '--older-than'],
];

test('each flag that takes a value either can hold no secret, or has one planted', async () => {
  const flags = (await createProgram(new AbortController().signal)).commands.flatMap(({ options }) =>
    options.filter(({ required, optional }) => required || optional).map(({ long }) => long!),
  );
  expect([...new Set(flags)].sort()).toEqual([...TEXT, ...NO_SECRET].sort());
});

const TIMES = { warmup: '1s', drain: '1s', timeout: '10s' };
const recorded = (options: Partial<ValidateOptions>): string =>
  JSON.stringify(redactedPlan(planFromOptions({ ...TIMES, rates: '1/s', ...options })));

const node = { id: 'a', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] };
const workflow = (path: string) =>
  file(
    'w.json',
    JSON.stringify({
      id: 'w',
      name: 'W',
      connections: {},
      nodes: [{ ...node, webhookId: UUID, parameters: { path } }],
    }),
  );

test.each<[string, () => Partial<ValidateOptions>]>([
  [
    '--env',
    () => ({
      manifests: file('n8n.yaml', ''),
      env: ['N8N_SMTP_PASS', 'N8N_LICENSE_CERT', 'DSN'].map((name) => `${name}=${MARKER}`),
    }),
  ],
  [
    '--env with an address',
    () => ({ manifests: file('n8n.yaml', ''), env: [`ALERTS=https://hooks.slack.com/services/${MARKER}`] }),
  ],
  ['--chart', () => ({ chart: `oci://me:${MARKER}@example.org/n8n` })],
  [
    '--set of another chart',
    () => ({ chart: 'some/chart', set: [`a=${MARKER}`], setString: [`b=${MARKER}`], setJson: [`c="${MARKER}"`] }),
  ],
  ['--set', () => ({ set: [`loadTest.env.SMTP_PASS=${MARKER}`] })],
  ['--set with an address', () => ({ set: [`webhookUrl=https://hooks.slack.com/services/${MARKER}`] })],
  ['--webhook', () => ({ webhook: `/webhook/a?key=${MARKER}&${MARKER}` })],
])('%s is not recorded', (_, options) => {
  expect(recorded(options())).not.toContain(MARKER);
});

test.each<[string, () => Partial<ValidateOptions>]>([
  ['of --webhook', () => ({ webhook: `/webhook/${UUID}` })],
  ['of a workflow', () => ({ workflow: workflow(UUID) })],
])('the random part of the path %s is not recorded, and its beginning is', (_, options) => {
  const text = recorded(options());
  expect(text).not.toContain(REST);
  expect(text).not.toContain(REST.slice(0, 9));
  expect(text).toContain(UUID.slice(0, 8));
});

test.each<[string, () => Partial<ValidateOptions>]>([
  ['--env', () => ({ manifests: 'x', env: [`n8n_smtp_pass=${MARKER}`] })],
  ['--env without a name', () => ({ manifests: 'x', env: [MARKER] })],
  ['--set', () => ({ set: [`password:${MARKER}`] })],
  ['--set-json', () => ({ setJson: [`a.password=${MARKER}`] })],
  ['--query', () => ({ query: [`https://me:${MARKER}@example.org`] })],
])('a refusal of %s does not show it', (_, options) => {
  let message = '';
  try {
    recorded(options());
  } catch (error) {
    message = messageOf(error);
  }
  expect(message).not.toBe('');
  expect(message).not.toContain(MARKER);
});
