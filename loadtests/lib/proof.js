/**
 * Judges an answer: does its body prove that the work was done? Imports nothing from k6.
 */

/** Milliseconds by which the clocks of two machines may differ over the longest answer, a minute. */
const CLOCK_DRIFT_MS = 10;

/** By how much two numbers of milliseconds may differ that are the same: 0.57 * 1000 is 569.9999999999999. */
const ROUNDING = 1e-3;

const loadTarget = (operation, parameters, leastMs = 0) => ({ operation, parameters, leastMs });

/** A list of as many documents as asked, in order, each of so many kB; `bytes` is the length of all that as JSON. */
const documents = (count, kilobytes) => ({ count, bytes: count * (kilobytes * 1024 + ','.length) + '[]'.length - 1 });

/** What the answer of each workload has to say, from the values of its query. */
const EXPECTED = {
  'webhook-ack': () => loadTarget('identify', {}),
  'webhook-wait': ({ seconds }) => loadTarget('wait', { ms: seconds * 1000 }, seconds * 1000),
  'webhook-ack-wait': () => ({ message: 'Workflow was started' }),
  'memory-hog': ({ mb, ms }) => loadTarget('holdMemory', { mb, ms, where: 'heap' }, ms),
  'cpu-burn': ({ n }) => loadTarget('burnCpu', { n, result: sumBelow(n) }),
  payload: ({ items, kb }) => documents(items, kb),
  transform: ({ kb }) => loadTarget('transform', { mode: 'generate', bytes: kb * 1024 }),
  'http-fan-out': ({ n }) => loadTarget('httpFanOut', { requests: n, failed: 0 }),
  'event-loop-block': ({ ms }) => loadTarget('blockEventLoop', { ms }, ms),
  // A Code node cannot tell which process it runs in, nor since when.
  code: () => ({ operation: 'code', parameters: { records: 1000, characters: 31802, checksum: 200020 } }),
};

/**
 * What to expect of a workload.
 * @param query values of its query parameters
 * @param builtIn made of built-in nodes, which cannot tell what time their work took nor which process did it
 * @throws Error where no answer is declared for the workload
 */
export function expectation(workload, query, builtIn = false) {
  if (!Object.hasOwn(EXPECTED, workload)) throw new Error(`loadtests/lib/proof.js declares no answer of ${workload}`);
  const expected = EXPECTED[workload](query);
  if (!builtIn || !('operation' in expected)) return expected;
  const { operation, parameters, leastMs } = expected;
  return { operation, parameters, earliestMs: leastMs };
}

/**
 * @param expected  of `expectation`, or `{ statuses: { min, max } }` where nothing but the status can be judged
 * @param response  k6's, of which `status` (0: none came), `body` (text or null) and `timings.duration` (ms) are read
 * @returns undefined for a correct answer, else what is wrong, in a word fit for a tag: `no-answer`, `status`, `json`,
 *   `message`, `operation`, `parameter`, `took`, `early` (came before the work can have been done), `identity`,
 *   `documents`
 */
export function fault(expected, response) {
  const { status } = response;
  if (!status) return 'no-answer';
  if ('statuses' in expected)
    return status >= expected.statuses.min && status <= expected.statuses.max ? undefined : 'status';
  if (status !== 200) return 'status';
  const { body } = response;
  const answer = parse(body);
  if (!answer || Array.isArray(answer) !== 'count' in expected) return 'json';
  if ('count' in expected) return hold(answer, body, expected) ? undefined : 'documents';
  if ('message' in expected) return answer.message === expected.message ? undefined : 'message';
  return faultOfWork(expected, answer, response);
}

function faultOfWork(expected, answer, response) {
  const { operation, parameters, leastMs } = expected;
  if (answer.operation !== operation) return 'operation';
  if (!Object.keys(parameters).every((name) => same(answer[name], parameters[name]))) return 'parameter';
  // Built-in nodes cannot tell.
  const tells = leastMs !== undefined;
  if (tells && !tookAll(leastMs, answer.tookMs)) return 'took';
  if (isEarly(expected, response)) return 'early';
  if (tells && !isPid(answer.identity?.pid)) return 'identity';
  return undefined;
}

/** Whether the work took as long as it must, by its own account. */
export function tookAll(leastMs, tookMs) {
  return typeof tookMs === 'number' && tookMs >= leastMs - ROUNDING;
}

export function isPid(value) {
  return Number.isInteger(value) && value > 0;
}

/** Whether the answer came before the work can have been done. */
export function isEarly({ leastMs, earliestMs = leastMs }, response) {
  return earliestMs > 0 && response.timings.duration < earliestMs - CLOCK_DRIFT_MS;
}

function hold(documents, body, { count, bytes }) {
  return documents.length === count && body.length === bytes && documents.every((each, i) => each?.index === i);
}

function same(a, b) {
  return a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < ROUNDING);
}

/** The checksum of counting to n: 0+1+…+n-1, or n itself where a number cannot hold that exactly. */
function sumBelow(n) {
  const sum = (n * (n - 1)) / 2;
  return Number.isSafeInteger(sum) ? sum : n;
}

function parse(body) {
  try {
    const value = JSON.parse(body);
    return value && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
