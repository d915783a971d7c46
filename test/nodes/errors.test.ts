import { readUrl } from '../../nodes/LoadTarget/allowedHosts';
import { Account } from '../../nodes/LoadTarget/ceilings/account';
import { ceilings } from '../../nodes/LoadTarget/ceilings/ceiling';
import { refuseChanges } from '../../nodes/BullQueue/changes';
import { readAddress, readQueue } from '../../nodes/BullQueue/credential';
import { readExecutions } from '../../nodes/BullQueue/executions';
import { operations } from '../../nodes/BullQueue/operations';
import { toQueueProblem } from '../../nodes/BullQueue/queue/problem';
import { ExplainedError } from '../../nodes/shared/explained';
import { toNodeError, errorText } from '../../nodes/shared/failure';
import { readChoice, readNumber } from '../../nodes/shared/parameters';
import { credential, run } from './queue/execution';
import { resetEnvironment } from './support/execution';

/**
 * n8n's UX guidelines for community nodes, "Errors": the message says what happened, the description how to solve it, and
 * neither has the words "error", "problem", "failure" or "mistake".
 */

const AVOIDED = /\b(error|problem|failure|mistake)s?\b/i;
const address = readAddress(credential());

const catchError = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

/** Parameters as n8n hands them out. */
const given = (values: Record<string, unknown>) => (name: string) => values[name];

function expectRules(error: unknown): void {
  expect(error).toBeInstanceOf(ExplainedError);
  const { what, description = '' } = error as ExplainedError;
  for (const text of [what, description]) {
    expect(text).toMatch(/\w/);
    expect(text).not.toMatch(AVOIDED);
  }
  expect(what).not.toMatch(/\.$/);
  expect(description).toMatch(/\.$/);
  expect((error as Error).message).toBe(`${what}. ${description}`);
}

afterEach(resetEnvironment);

const CODES = [
  ...[
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ECONNRESET',
    'EPIPE',
    'EPROTO',
  ],
  ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN'],
];
const MESSAGES = [
  ...[
    'WRONGPASS invalid username-password pair',
    'NOAUTH Authentication required',
    'NOPERM no permissions to run llen',
  ],
  ...['ERR DB index is out of range', 'ERR SELECT is not allowed in cluster mode', 'MOVED 3999 127.0.0.1:6381'],
  ...['ERR This instance has cluster support disabled', 'CLUSTERDOWN Hash slot not served', 'LOADING Redis is loading'],
  ...['Protocol error, got "H"', 'timeout', 'Connection is closed.', 'x is not valid JSON', 'something else'],
];

test.each([...CODES.map((code) => ({ code })), ...MESSAGES.map((message) => ({ message }))])('Redis: %j', (error) => {
  for (const tls of [undefined, {}]) expectRules(toQueueProblem(error, { ...address, tls }));
});

const tool = { getNode: () => ({ type: 'n8n-nodes-tuned.bullQueueTool' }) } as never;
const node = { getNode: () => ({ type: 'n8n-nodes-tuned.bullQueue' }) } as never;

test.each<[string, () => unknown]>([
  ['a number', () => readNumber('Window', -1, { min: 0, max: 9, unit: 'ms', because: ceilings.seconds.text })],
  ['a choice', () => readChoice('State', 'stuck', ['active', 'waiting'])],
  ['an id', () => operations.job.read(given({ by: 'jobId', id: '' }))],
  ['workflows', () => operations.waitUntilDrained.read(given({ waitFor: 'active', ignoreWorkflows: {} }))],
  ['an execution', () => readExecutions([{ name: 'x' }])],
  ['the status of an execution', () => readExecutions([{ id: '1' }])],
  ['a queue', () => readQueue('bull:jobs')],
  ['an empty prefix', () => readAddress(credential({ prefix: '' }))],
  ['an empty queue', () => readAddress(credential({ queue: '' }))],
  ['a host', () => readAddress(credential({ host: 'redis://redis' }))],
  ['cluster nodes', () => readAddress(credential({ clusterNodes: 'redis' }))],
  ['a certificate', () => readAddress(credential({ tls: true, ca: 'x' }))],
  ['a tool that changes', () => refuseChanges(tool, { allowChanges: true })],
  ['changes that are not allowed', () => refuseChanges(node, {})],
  ['a ceiling', () => new Account(ceilings.seconds, 'ms', 1000).reserve(60_001)],
  ['a URL', () => readUrl('URL', 'ftp://localhost/')],
  ['a long URL', () => readUrl('URL', `http://localhost/${'x'.repeat(3000)}`)],
  ['a URL with a password', () => readUrl('URL', 'http://user:pass@localhost/')],
  ['a host that is not allowed', () => readUrl('URL', 'http://192.0.2.1/')],
])('%s', (_, work) => expectRules(catchError(work)));

test('a variable of the environment', () => {
  process.env.N8N_LOAD_TARGET_MAX_SECONDS = 'a minute';
  expectRules(catchError(() => ceilings.seconds.value));
  process.env.N8N_LOAD_TARGET_ALLOWED_HOSTS = '*.example';
  expectRules(catchError(() => readUrl('URL', 'http://localhost/')));
  resetEnvironment();
  process.env.http_proxy = 'http://proxy:3128';
  expectRules(catchError(() => readUrl('URL', 'http://localhost/')));
});

describe('in n8n', () => {
  const parameters = [{ operation: 'stats', window: -1 }];

  test('the message and the description are apart', async () => {
    await expect(run({ parameters, credential: credential() })).rejects.toMatchObject({
      ...{ message: 'Window cannot be -1', description: 'Set Window to a number from 0 to 60000 ms.' },
    });
  });

  test('with "Continue On Fail" the item has both', async () => {
    expect(await run({ parameters, credential: credential(), continueOnFail: true })).toEqual([
      expect.objectContaining({
        json: { error: 'Window cannot be -1. Set Window to a number from 0 to 60000 ms.' },
      }),
    ]);
  });

  test('a code of Node stays in the message; an error of something else has no description', () => {
    const other = new Error('connect ECONNREFUSED 127.0.0.1:6379');
    const failure = toNodeError({ name: 'Bull Queue' } as never, other, 3);
    expect(failure).toMatchObject({ message: other.message, cause: other, context: { itemIndex: 3 } });
    expect(failure.description).toBeUndefined();
    expect(errorText(other)).toBe(other.message);
  });
});
