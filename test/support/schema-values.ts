import fc from 'fast-check';

/** The part of JSON Schema that the chart's `values.schema.json` uses. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  $ref?: string;
  $defs?: Record<string, Schema>;
  deprecated?: boolean;
}

/** Typical texts for values of type string: quantities, names, addresses, times, versions and mistakes. */
const STRINGS = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '500m',
  '2',
  '256Mi',
  '1Gi',
  '4Gi',
  '100Gi',
  '1e3',
  '10s',
  '5m',
  'a',
  'A b',
].concat(
  ['example.org', 'https://n8n.example.org/', 'redis', '10.0.0.0/8', 'true', 'null', '{{ .Release.Name }}', '$(HOME)'],
  ['2.41.1', '1.123.81', '0.221.2', 'latest', 'Europe/Berlin', "it's", 'ä', 'x'.repeat(300), 'a\nb: c', '- 1', '#'],
);
const JUNK = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -1, 1e99, 'x', [], {}, [null], true),
  fc.jsonValue({ maxDepth: 2 }),
);

/**
 * Generates values as a user who has read the schema may write them: some keys at each level, with values of the right type, in,
 * at and beyond the ends of their ranges. Occasionally a value is junk.
 */
export function arbitraryValues(root: Schema): fc.Arbitrary<Record<string, unknown>> {
  const build = (node: Schema): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 40, arbitrary: valid(node) }, { weight: 1, arbitrary: JUNK });
  const valid = (node: Schema): fc.Arbitrary<unknown> => {
    if (node.$ref) return build(root.$defs![node.$ref.split('/').at(-1)!]!);
    if (node.enum) return fc.constantFrom(...node.enum);
    const either = node.anyOf ?? node.oneOf;
    if (either) return fc.oneof(...either.map(build));
    return fc.oneof(...[node.type ?? 'string'].flat().map((type) => ofType(type, node)));
  };
  const ofType = (type: string, node: Schema): fc.Arbitrary<unknown> => {
    if (type === 'object') return objectOf(node);
    if (type === 'array') return fc.array(node.items ? build(node.items) : JUNK, { maxLength: 2 });
    if (type === 'boolean') return fc.boolean();
    if (type === 'null') return fc.constant(null);
    if (type === 'integer' || type === 'number') return arbitraryNumber(node);
    return fc.constantFrom(...STRINGS);
  };
  const objectOf = (node: Schema): fc.Arbitrary<Record<string, unknown>> => {
    const known = Object.entries(node.properties ?? {}).filter(([, inner]) => !inner.deprecated);
    const { additionalProperties: more } = node;
    if (known.length === 0)
      return fc.dictionary(fc.constantFrom('a', 'app', 'x/y', 'A_B'), typeof more === 'object' ? build(more) : JUNK, {
        maxKeys: 2,
      });
    return fc
      .subarray(known, { minLength: 0, maxLength: Math.min(4, known.length) })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map(([key, inner]) => [key, build(inner)]))));
  };
  return objectOf(root);
}

function arbitraryNumber({ minimum = 0, maximum = 1_000_000 }: Schema): fc.Arbitrary<number> {
  const ends = fc.constantFrom(minimum, maximum, minimum + 1, minimum - 1, maximum + 1);
  return fc.oneof({ weight: 2, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 20) }) }, ends);
}

/** Merges the second value over the first; maps are merged key by key. */
export function mergeValues(under: unknown, over: unknown): unknown {
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(under) || !isMap(over)) return over;
  const all = { ...under };
  for (const [key, value] of Object.entries(over)) all[key] = key in under ? mergeValues(under[key], value) : value;
  return all;
}
