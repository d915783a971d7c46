import fc from 'fast-check';

type Path = (string | number)[];

/** Every place in a JSON value, the value itself excepted. */
function placesIn(value: unknown, here: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...here, key], ...placesIn(inner, [...here, key])]);
}

/** What a number or another value of a record may have become; as JSON text, which says more than JSON.stringify can. */
const REPLACEMENTS = [
  'null',
  'true',
  '0',
  '-1',
  '1e308',
  '-1e308',
  '5e-324',
  '1e999',
  '9007199254740993',
  '""',
  '"NaN"',
].concat(['[]', '{}', '[null]', '{"__proto__":{"polluted":1}}', '{"constructor":0}', '"__proto__"']);

/** JSON texts of a value in which one place is something else, is missing, or has a key more. */
export function mutationsOf(value: unknown): fc.Arbitrary<string> {
  const change = fc.oneof(
    fc.constantFrom(...REPLACEMENTS),
    fc.json({ maxDepth: 2 }),
    fc.constant(undefined), // removed
  );
  return fc.tuple(fc.constantFrom(...placesIn(value)), change).map(([path, text]) => changed(value, path, text));
}

const MARK = '"\u0000here"';

function changed(value: unknown, path: Path, text: string | undefined): string {
  const copy = structuredClone(value) as any;
  const owner = path.slice(0, -1).reduce((inner, key) => inner[key], copy);
  const last = path.at(-1)!;
  if (text === undefined) delete owner[last];
  else owner[last] = JSON.parse(MARK.replace('\u0000', '\\u0000'));
  return JSON.stringify(copy).replace('"\\u0000here"', () => text ?? '');
}

/** Whether every number in a value is one. */
export function hasNaN(value: unknown): boolean {
  if (typeof value === 'number') return Number.isNaN(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNaN);
}
