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
 * @throws Error where no answer is declared for the workload
 */
export function expectation(workload, query) {
  if (!Object.hasOwn(EXPECTED, workload)) throw new Error(`loadtests/lib/proof.js declares no answer of ${workload}`);
  return EXPECTED[workload](query);
}

/**
 * @param expected  of `expectation`
 * @param response  `status` (0: none came), `body` (text or null), `durationMs` as the client saw it
 * @returns undefined for a correct answer, else what is wrong, in a word fit for a tag: `no-answer`, `status`, `json`,
 *   `message`, `operation`, `parameter`, `took`, `early` (came before the work can have been done), `identity`,
 *   `documents`
 */
export function fault(expected, { status, body, durationMs }) {
  if (!status) return 'no-answer';
  if (status !== 200) return 'status';
  const answer = parse(body);
  if (!answer || Array.isArray(answer) !== 'count' in expected) return 'json';
  if ('count' in expected) return hold(answer, body, expected) ? undefined : 'documents';
  if ('message' in expected) return answer.message === expected.message ? undefined : 'message';
  const { operation, parameters, leastMs } = expected;
  if (answer.operation !== operation) return 'operation';
  if (!Object.keys(parameters).every((name) => same(answer[name], parameters[name]))) return 'parameter';
  if (leastMs === undefined) return undefined;
  if (!(typeof answer.tookMs === 'number' && answer.tookMs >= leastMs - ROUNDING)) return 'took';
  if (durationMs < leastMs - CLOCK_DRIFT_MS) return 'early';
  if (!(Number.isInteger(answer.identity?.pid) && answer.identity.pid > 0)) return 'identity';
  return undefined;
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
