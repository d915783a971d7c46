import fc from 'fast-check';
import { bytesInParts, makeBytes, documentInParts, makeDocument, runInParts } from '../../nodes/LoadTarget/document';

const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const index = fc.nat({ max: 10_000 });
const kilobytes = fc.integer({ min: 1, max: 40 });

describe('a document', () => {
  const json = (...of: Parameters<typeof makeDocument>) => JSON.stringify(makeDocument(...of));

  test('is ASCII, has exactly the requested length, and is the same when it is made again or parsed', () => {
    fc.assert(
      fc.property(seed, index, kilobytes, (...of) => {
        const text = json(...of);
        expect(text).toHaveLength(of[2] * 1024);
        expect(Buffer.byteLength(text)).toBe(text.length);
        expect(json(...of)).toBe(text);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test('differs for another index or seed', () => {
    fc.assert(
      fc.property(seed, index, index, kilobytes, (of, one, other, size) => {
        fc.pre(one !== other);
        expect(makeDocument(of, one, size).orders).not.toEqual(makeDocument(of, other, size).orders);
        expect(makeDocument(one, of, size).orders).not.toEqual(makeDocument(other, of, size).orders);
      }),
    );
  });

  test('stays the same in later versions', () => {
    expect(makeDocument(1, 0, 1).orders[0]).toEqual({
      id: '8be48b9e',
      placedAt: '2023-12-07T18:29:39.238Z',
      state: 'mailed',
      cents: 276_248,
      quantity: 47,
      note: 'flint delta grape hotel alpha eagle',
    });
  });
});

describe('bytes', () => {
  test('have the requested length, are the same when made again, and differ for another index', () => {
    fc.assert(
      fc.property(seed, index, index, kilobytes, (of, one, other, size) => {
        const bytes = makeBytes(of, one, size);
        expect(bytes).toHaveLength(size * 1024);
        expect(makeBytes(of, one, size).equals(bytes)).toBe(true);
        if (one !== other) expect(makeBytes(of, other, size).equals(bytes)).toBe(false);
      }),
    );
  });
});

test('made in parts, both are the same, and a part is small', async () => {
  let pauses = 0;
  const pause = () => Promise.resolve(void (pauses += 1));
  expect(await runInParts(documentInParts(1, 0, 1024), pause)).toEqual(makeDocument(1, 0, 1024));
  expect(pauses).toBeGreaterThanOrEqual(5);
  pauses = 0;
  expect((await runInParts(bytesInParts(1, 0, 1024), pause)).equals(makeBytes(1, 0, 1024))).toBe(true);
  expect(pauses).toBe(4);
});
