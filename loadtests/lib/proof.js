/**
 * Checks whether the body of an answer proves that the work was done. Imports nothing from k6.
 */

/** Milliseconds by which the clocks of two machines may drift apart during a minute, the longest answer. */
const CLOCK_DRIFT_MS = 10;

/** Difference below which two numbers count as equal: 0.57 * 1000 is 569.9999999999999. */
const ROUNDING = 1e-3;

const loadTarget = (operation, parameters, leastMs = 0) => ({ operation, parameters, leastMs });

/** Expects a list of `count` documents in order, each of `kilobytes` kB. `bytes` is the length of the list as JSON. */
const documents = (count, kilobytes) => ({ count, bytes: count * (kilobytes * 1024 + ','.length) + '[]'.length - 1 });

/** Expects the answer of nodes that report neither their process nor their duration. */
const plainAnswer = (operation, parameters) => ({ operation, parameters });

/** Expects these entries, in this order. */
const listAnswer = (entries) => ({ entries, ...lengthOf(entries) });
const lengthOf = (entries) => ({ count: entries.length, bytes: JSON.stringify(entries).length });

/** The expected answer of each workload, from the values of its query. */
const EXPECTED = {
  'webhook-ack': () => loadTarget('identify', {}),
  'webhook-expression': ({ order }) =>
    plainAnswer('expression', {
      order,
      title: `Order ${order}`,
      total: order * 3,
      priority: order > 1000 ? 'high' : 'normal',
      due: '2026-02-02',
    }),
  'respond-node': () => plainAnswer('respond', {}),
  'webhook-wait': ({ seconds }) => loadTarget('wait', { ms: seconds * 1000 }, seconds * 1000),
  'webhook-ack-wait': () => ({ message: 'Workflow was started' }),
  'memory-hog': ({ mb, ms }) => loadTarget('holdMemory', { mb, ms, where: 'heap' }, ms),
  'cpu-burn': ({ n }) => loadTarget('burnCpu', { n, result: sumBelow(n) }),
  payload: ({ items, kb }) => documents(items, kb),
  transform: ({ kb }) => loadTarget('transform', { mode: 'generate', bytes: kb * 1024 }),
  'http-fan-out': ({ n }) => loadTarget('httpFanOut', { requests: n, failed: 0 }),
  'event-loop-block': ({ ms }) => loadTarget('blockEventLoop', { ms }, ms),
  code: () => plainAnswer('code', { records: 1000, characters: 31802, checksum: 200020 }),
  'code-each-item': ({ items }) =>
    listAnswer(
      Array.from({ length: items }, (_, index) => ({
        operation: 'code-each-item',
        index,
        checksum: computeChecksum(index),
      })),
    ),
  'sub-workflow': () => plainAnswer('sub-workflow', {}),
};

/**
 * The expected answer of a workload.
 * @param query values of its query parameters
 * @param builtIn whether the workflow uses only built-in nodes, whose answer contains neither a duration nor a process
 * @throws Error if no answer is declared for the workload
 */
export function expectedAnswer(workload, query, builtIn = false) {
  if (!Object.hasOwn(EXPECTED, workload)) throw new Error(`loadtests/lib/proof.js declares no answer for ${workload}`);
  const expected = EXPECTED[workload](query);
  if (!builtIn || !('operation' in expected)) return expected;
  const { operation, parameters, leastMs } = expected;
  return { operation, parameters, earliestMs: leastMs };
}

/**
 * Finds what is wrong with an answer.
 * @param expected  the result of `expectedAnswer`, or `{ statuses: { min, max } }` if only the status can be checked
 * @param response  k6's response; `status` (0: no answer), `body` (text or null) and `timings.duration` (ms) are read
 * @returns undefined for a correct answer, otherwise a tag: `no-answer`, `status`, `json`, `message`, `operation`,
 *   `parameter`, `took`, `early` (the answer came before the work can be done), `identity`, `documents`
 */
export function findFault(expected, response) {
  const { status } = response;
  if (!status) return 'no-answer';
  if ('statuses' in expected)
    return status >= expected.statuses.min && status <= expected.statuses.max ? undefined : 'status';
  if (status !== 200) return 'status';
  const { body } = response;
  const answer = parseObject(body);
  if (!answer || Array.isArray(answer) !== 'count' in expected) return 'json';
  if ('count' in expected) return holdsDocuments(answer, body, expected) ? undefined : 'documents';
  if ('message' in expected) return answer.message === expected.message ? undefined : 'message';
  return findFaultOfWork(expected, answer, response);
}

function findFaultOfWork(expected, answer, response) {
  const { operation, parameters, leastMs } = expected;
  if (answer.operation !== operation) return 'operation';
  if (!Object.keys(parameters).every((name) => isSame(answer[name], parameters[name]))) return 'parameter';
  // Built-in nodes report neither duration nor process.
  const reports = leastMs !== undefined;
  if (reports && !tookAll(leastMs, answer.tookMs)) return 'took';
  if (isEarly(expected, response)) return 'early';
  if (reports && !isPid(answer.identity?.pid)) return 'identity';
  return undefined;
}

/** Whether the work took long enough, by the duration that the answer reports. */
export function tookAll(leastMs, tookMs) {
  return typeof tookMs === 'number' && tookMs >= leastMs - ROUNDING;
}

function isPid(value) {
  return Number.isInteger(value) && value > 0;
}

/** Whether the answer came before the work can be done. */
export function isEarly({ leastMs, earliestMs = leastMs }, response) {
  return earliestMs > 0 && response.timings.duration < earliestMs - CLOCK_DRIFT_MS;
}

function holdsDocuments(documents, body, { count, bytes, entries }) {
  const isAsked = (each, i) => Object.entries(entries?.[i] ?? { index: i }).every(([name, is]) => each?.[name] === is);
  return documents.length === count && body.length === bytes && documents.every(isAsked);
}

function isSame(a, b) {
  return a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < ROUNDING);
}

/** The checksum that code-each-item computes for an item. */
function computeChecksum(index) {
  let checksum = 0;
  for (let i = 0; i < 1000; i++) checksum = (checksum * 31 + index + i) % 1000003;
  return checksum;
}

/** The checksum of counting to n: 0+1+…+n-1, or n itself if a number cannot hold the sum exactly. */
function sumBelow(n) {
  const sum = (n * (n - 1)) / 2;
  return Number.isSafeInteger(sum) ? sum : n;
}

function parseObject(body) {
  try {
    const value = JSON.parse(body);
    return value && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
