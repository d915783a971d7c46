/**
 * Dummy content. The same seed, index and size give the same content in every process and version; another index gives
 * other content.
 */

const KILOBYTE = 1024;
const WORDS = ['alpha', 'brick', 'crane', 'delta', 'eagle', 'flint', 'grape', 'hotel'];
const STATES = ['opened', 'billed', 'packed', 'mailed'];

/** The 32-bit start of the random sequence of a seed and index. */
const sequenceStart = (seed: number, index: number): number =>
  (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index, 0x85ebca6b)) >>> 0;

/** A sequence of whole numbers below 2³², the same for the same start (mulberry32). */
function randomSequence(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/**
 * An order as in the API of a shop. All orders have the same length as JSON, so the length of a document can be computed.
 */
type Order = { id: string; placedAt: string; state: string; cents: number; quantity: number; note: string };

function makeOrder(next: () => number): Order {
  const word = () => WORDS[next() % WORDS.length];
  return {
    id: next().toString(16).padStart(8, '0'),
    placedAt: new Date(1_700_000_000_000 + next()).toISOString(),
    state: STATES[next() % STATES.length]!,
    cents: 100_000 + (next() % 900_000),
    quantity: 10 + (next() % 90),
    note: `${word()} ${word()} ${word()} ${word()} ${word()} ${word()}`,
  };
}

/** Highest memory use of a document, as a factor of its size. Small strings and objects are larger than their JSON. */
export const DOCUMENT_MEMORY = 3;

/** A list of orders, and padding up to the size. */
export type Document = { index: number; seed: number; orders: Order[]; padding: string };

/** Number of orders that are made in one part: about 170 kB, for which a core needs some milliseconds. */
const ORDERS_PER_PART = 1000;
/** Number of bytes of a binary document that are made in one part. */
const BYTES_PER_PART = 256 * KILOBYTE;

/**
 * Makes a document whose JSON is ASCII and exactly `kilobytes` · 1024 bytes long, in parts: other work can run after each.
 * `kilobytes` is at least 1.
 */
export function* documentInParts(seed: number, index: number, kilobytes: number): Generator<void, Document> {
  const next = randomSequence(sequenceStart(seed, index));
  const document: Document = { index, seed, orders: [], padding: '' };
  const room = kilobytes * KILOBYTE - JSON.stringify(document).length;
  const orderLength = JSON.stringify(makeOrder(randomSequence(0))).length + ','.length;
  // The last order has no comma after it.
  const count = Math.floor((room + 1) / orderLength);
  for (let i = 0; i < count; i++) {
    if (i % ORDERS_PER_PART === ORDERS_PER_PART - 1) yield;
    document.orders.push(makeOrder(next));
  }
  document.padding = '.'.repeat(count > 0 ? room + 1 - count * orderLength : room);
  return document;
}

/** Makes `kilobytes` · 1024 bytes that do not compress, in parts: other work can run after each. */
export function* bytesInParts(seed: number, index: number, kilobytes: number): Generator<void, Buffer> {
  const next = randomSequence(sequenceStart(seed, index));
  const bytes = Buffer.allocUnsafe(kilobytes * KILOBYTE);
  for (let i = 0; i < bytes.length; i += 4) {
    if (i % BYTES_PER_PART === BYTES_PER_PART - 4) yield;
    bytes.writeUInt32LE(next(), i);
  }
  return bytes;
}

/** The document of documentInParts, made at once. */
export const makeDocument = (...of: Parameters<typeof documentInParts>): Document => runAtOnce(documentInParts(...of));

/** The bytes of bytesInParts, made at once. */
export const makeBytes = (...of: Parameters<typeof bytesInParts>): Buffer => runAtOnce(bytesInParts(...of));

function runAtOnce<Result>(parts: Generator<void, Result>): Result {
  let part = parts.next();
  while (!part.done) part = parts.next();
  return part.value;
}

/** Makes what `parts` makes, and waits for `pause` after each part. */
export async function runInParts<Result>(parts: Generator<void, Result>, pause: () => Promise<void>): Promise<Result> {
  let part = parts.next();
  while (!part.done) {
    await pause();
    part = parts.next();
  }
  return part.value;
}
