/**
 * Judges answers as `fault` does, but for most without parsing them: k6's JSON.parse takes 20 µs for a small answer and
 * 200 µs for 10 kB, which is as much as it needs to send the request. Imports nothing from k6.
 */
import { fault, isEarly, isPid, tookAll } from './proof.js';

/** Longest answer that is kept, in characters: every virtual user keeps its own. */
const LONGEST_KEPT = 100_000;

/**
 * @param expected of `expectation`, or `{ statuses }`
 * @returns a function from k6's response to what `fault` says of it
 */
export function judgeOf(expected) {
  if ('statuses' in expected) return (response) => fault(expected, response);
  const isProof = expected.leastMs === undefined ? undefined : hasForm(expected);
  const takesTime = (expected.earliestMs ?? expected.leastMs) > 0;
  let proof;
  return (response) => {
    if (response.status === 200) {
      const { body } = response;
      const proved = isProof ? body !== null && isProof(body) : body === proof;
      if (proved && !(takesTime && isEarly(expected, response))) return undefined;
    }
    const wrong = fault(expected, response);
    // Nothing in it tells one execution from another: the same answer is the same proof.
    if (!wrong && !isProof && response.body.length <= LONGEST_KEPT) proof = response.body;
    return wrong;
  };
}

const TOOK = '"tookMs":';
const IDENTITY = ',"identity":{';
const PID = '"pid":';

/**
 * Whether a JSON text is an answer as n8n-nodes-tuned writes it: operation, the parameters in the order of `expectation`,
 * time, identity, other members between them and at most one object among those. By searches in the text: in k6 a
 * regular expression takes four times as long.
 */
function hasForm({ operation, parameters, leastMs }) {
  const start = `{"operation":"${operation}",`;
  const asked = Object.entries(parameters).map(([name, value]) => `"${name}":${JSON.stringify(value)},`);
  return (body) => {
    // Without escapes, a quote begins or ends a text.
    if (!body.startsWith(start) || !body.endsWith('}}') || body.includes('\\')) return false;
    const inner = body.indexOf('{', 1);
    const innerEnd = body.indexOf('}', inner);
    let at = 0;
    for (let i = 0; i < asked.length; i++) {
      at = body.indexOf(asked[i], at);
      if (at < 0 || (at > inner && at < innerEnd)) return false;
    }
    const took = body.indexOf(TOOK, at);
    const identity = body.indexOf(IDENTITY, took);
    if (took < 0 || identity < 0) return false;
    const brace = identity + IDENTITY.length - 1;
    if (inner < brace && (took < innerEnd || body.indexOf('{', innerEnd) !== brace)) return false;
    const pid = body.indexOf(PID, brace);
    if (pid < 0 || body.includes('{', brace + 1)) return false;
    return (
      tookAll(leastMs, Number(body.slice(took + TOOK.length, identity))) &&
      isPid(Number(body.slice(pid + PID.length, body.indexOf(',', pid))))
    );
  };
}
