import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { readUrl, withoutQuery } from '../allowedHosts';
import { CeilingError, ceilings } from '../ceilings/ceiling';
import { DEPTH_HEADER } from '../fanOutDepth';
import { now, toMicroseconds, runWithin } from '../../shared/clock';
import { ExplainedError } from '../../shared/explained';
import { measureIdentity } from '../identity';
import { noticeField } from '../../shared/notice';
import { operation, type Run } from '../operation';
import { mayLeadToThisN8n } from '../ownHosts';
import { readNumber } from '../../shared/parameters';

interface HttpFanOut {
  url: URL;
  requests: number;
  timeoutMs: number;
}

interface Answer {
  status: number;
  /** Milliseconds until the last byte of the body. */
  ms: number;
}

const MAX_REQUESTS = 100;
const UNANSWERED = 'Check that the server runs, and that it answers within Timeout.';
const UNKNOWN_DEPTH =
  'It cannot be known whether a request of HTTP Fan-Out started this execution. Move HTTP Fan-Out to the workflow that ' +
  'has the trigger, or set URL to another host.';

/**
 * HTTP Fan-Out: sends `requests` GET requests to `url` at once, like a workflow that calls several services. An answer with
 * any status counts. So do redirects: they are not followed, because they may lead to other hosts. Bodies are read and
 * dropped.
 *
 * Each request carries in a header how many fan-outs led to it, so that a fan-out to n8n itself does not multiply: an
 * execution that was started by such a request sends no further ones. Sub-workflows and error workflows do not see that
 * header, so they send none to n8n itself.
 *
 * A request without an answer after `timeout`, or when the time of the execution is used up, has failed and is aborted. n8n
 * below 1.0 cannot abort requests: there it stays open in the background until its connection times out a second later.
 */
export const httpFanOut = operation<HttpFanOut>({
  properties: [
    noticeField(
      'httpFanOut',
      'Loads the server that it calls. If that is n8n, each request may start an execution. An execution that was started ' +
        'by such a request sends no further ones, and a sub-workflow or an error workflow sends none to n8n itself.',
    ),
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      displayOptions: { show: { operation: ['httpFanOut'] } },
      default: 'http://127.0.0.1:5678/healthz',
      description:
        'Where to send the requests. N8N_LOAD_TARGET_ALLOWED_HOSTS must list the host. By default it lists this machine only.',
    },
    {
      displayName: 'Requests',
      name: 'requests',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: MAX_REQUESTS },
      displayOptions: { show: { operation: ['httpFanOut'] } },
      default: 10,
      description: 'How many requests to send at once, at most 100. An execution may send 1,000.',
    },
    {
      displayName: 'Timeout (Milliseconds)',
      name: 'timeout',
      type: 'number',
      typeOptions: { minValue: 1 },
      displayOptions: { show: { operation: ['httpFanOut'] } },
      default: 10000,
      description: 'How long to wait for an answer. Shorter if the execution has less time left.',
    },
  ],

  read(parameter) {
    const max = Math.min(MAX_REQUESTS, Math.floor(ceilings.requests.value));
    const requests = { min: 1, max, integer: true, because: max < MAX_REQUESTS ? ceilings.requests.text : undefined };
    return {
      url: readUrl('URL', parameter('url')),
      requests: readNumber('Requests', parameter('requests'), requests),
      timeoutMs: readNumber('Timeout', parameter('timeout'), {
        min: 1,
        max: ceilings.seconds.highest * 1000,
        unit: 'ms',
      }),
    };
  },

  costs: ({ requests }) => ({ requests }),

  async execute({ url, requests, timeoutMs }, run): Promise<IDataObject> {
    const known = run.fanOutDepth();
    if (known === undefined && mayLeadToThisN8n(url)) {
      throw new ExplainedError(
        `A sub-workflow or an error workflow sends no fan-out to n8n itself, and ${withoutQuery(url)} may lead to it`,
        UNKNOWN_DEPTH,
      );
    }
    const depth = known ?? 0;
    if (depth >= ceilings.fanOuts.value) {
      throw new CeilingError(
        ceilings.fanOuts,
        `This execution was started by a request of HTTP Fan-Out, so it sends no further ones`,
        { requested: 1, taken: depth },
      );
    }
    const limitMs = Math.min(timeoutMs, run.time.free);
    if (limitMs === 0) {
      throw new CeilingError(ceilings.seconds, 'The execution has no time left for requests');
    }
    const time = run.time.reserve(limitMs);
    const start = now();
    try {
      const { answers, cause } = await fanOut(url, requests, limitMs, run, depth + 1);
      if (answers.length === 0) {
        throw new ExplainedError(
          `None of ${requests} requests to ${withoutQuery(url)} was answered: ${cause}`,
          UNANSWERED,
        );
      }
      return {
        url: withoutQuery(url),
        requests,
        ...summarizeAnswers(answers, requests),
        identity: await measureIdentity(),
      };
    } finally {
      time.use(now() - start);
      time.close();
    }
  },
});

/** Sends the requests. Returns the answers, and why one of the other requests failed. */
async function fanOut(
  url: URL,
  requests: number,
  limitMs: number,
  { reserved, signal, helpers }: Run,
  depth: number,
): Promise<{ answers: Answer[]; cause: string }> {
  const answers: Answer[] = [];
  const causes: string[] = [];
  const inTime = await runWithin(limitMs, signal, async (ended) => {
    reserved.requests.use();
    const send = async () => {
      const start = now();
      try {
        const status = await get({ url, limitMs, depth }, ended, helpers);
        if (!ended.aborted) answers.push({ status, ms: now() - start });
      } catch (error) {
        causes.push(failureReason(error));
      }
    };
    await Promise.all(Array.from({ length: requests }, send));
  });
  return { answers, cause: inTime ? (causes[0] ?? 'no cause given') : `no answer within ${Math.ceil(limitMs)} ms` };
}

/** Sends one request with n8n's own helper. Returns the status when the body has been read. */
async function get(
  { url, limitMs, depth }: { url: URL; limitMs: number; depth: number },
  ended: AbortSignal,
  helpers: Run['helpers'],
): Promise<number> {
  const { statusCode, body } = (await helpers.httpRequest({
    method: 'GET',
    url: url.href,
    headers: { [DEPTH_HEADER]: String(depth) },
    // For n8n versions that cannot abort. A second later than the time limit, so that the two do not race.
    timeout: Math.ceil(limitMs) + 1000,
    abortSignal: ended,
    disableFollowRedirect: true,
    ignoreHttpStatusErrors: true,
    returnFullResponse: true,
    encoding: 'stream',
  })) as IN8nHttpFullResponse;
  if (body instanceof Readable) {
    const stop = () => body.destroy();
    ended.addEventListener('abort', stop, { once: true });
    if (ended.aborted) stop();
    await finished(body.resume());
  }
  return statusCode;
}

/** The message of an error, for example `connect ECONNREFUSED 127.0.0.1:5678`, or its code if Node left the message empty. */
function failureReason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}

function summarizeAnswers(answers: Answer[], requests: number): IDataObject {
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const times = answers.map(({ ms }) => toMicroseconds(ms)).sort((a, b) => a - b);
  const middle = times.length / 2;
  return {
    statuses,
    failed: requests - answers.length,
    fastestMs: times[0],
    medianMs: toMicroseconds((times[Math.ceil(middle) - 1]! + times[Math.floor(middle)]!) / 2),
    slowestMs: times[times.length - 1],
  };
}
