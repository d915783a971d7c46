import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseDocument, visit } from 'yaml';
import { digests } from './digests.js';
import { install, lint, type Manifest, queue, RELEASE, text, type Values, valuesFiles, valuesOf } from './render.js';
import { testSecrecy } from './secrecy.js';

/**
 * Digests of the objects that the chart renders from its defaults, each profile and each values file of ci/: a change of the
 * templates that must not change an object must not change a digest. After an intended change: `npm run chart:objects`.
 */
const RECORD = fileURLToPath(new URL('objects.json', import.meta.url));
/** Some objects depend on the Kubernetes version, and helm's default version changes with helm. */
const KUBERNETES = ['--kube-version', '1.33.0'];

const all: [name: string, values: Values][] = [
  ['defaults', {}],
  ...valuesFiles()
    .sort()
    .map((file): [string, Values] => [file, valuesOf(file)]),
  ['queue mode with metrics', queue({ metrics: { enabled: true } })],
];

/** One document of the rendered text, as an object and as text. */
interface Rendered {
  object: Manifest;
  /** The lines outside block scalars, whose whitespace is content. */
  lines: string[];
}

function read(part: string): Rendered[] {
  const document = parseDocument(part);
  if (!document.contents) return [];
  let rest = part;
  const blocks: number[][] = [];
  visit(document, { Scalar: (_, { type, range }) => void (type?.startsWith('BLOCK') && blocks.push(range!)) });
  for (const [from, to] of blocks.reverse()) rest = `${rest.slice(0, from)}block\n${rest.slice(to)}`;
  return [{ object: document.toJS(), lines: rest.trimEnd().split('\n') }];
}

const seen = new Map<string, Rendered[]>();

/** The documents of a rendered text that have content. Each is parsed once: the largest is the same in all. */
function documents(yaml: string): Rendered[] {
  return yaml.split(/^---\n/m).flatMap((part) => {
    if (!seen.has(part)) seen.set(part, read(part));
    return seen.get(part)!;
  });
}

const rendered = all.map(([, values]) => documents(text(values, RELEASE, ...KUBERNETES)));
const recordable = Object.fromEntries(
  all.map(([name], index) => [name, digests(rendered[index]!.map((d) => d.object))]),
);
if (process.env.N8N_TUNED_WRITE === 'objects') writeFileSync(RECORD, JSON.stringify(recordable, null, 2) + '\n');
const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as typeof recordable;

it('are all recorded', () => expect(Object.keys(recorded)).toEqual(Object.keys(recordable)));

describe.each(all.map(([name, values], index) => ({ name, values, parts: rendered[index]! })))(
  '$name',
  ({ name, values, parts }) => {
    const objects = parts.map(({ object }) => object);

    it('renders the recorded objects', () => expect(recordable[name]).toEqual(recorded[name]));

    it('renders no trailing spaces and no blank lines', () => {
      for (const { lines } of parts) expect(lines.filter((line) => /^$|\s$/.test(line))).toEqual([]);
    });

    it('renders objects with unique names', () => {
      const ids = objects.map((o) => `${o.apiVersion} ${o.kind} ${o.metadata.name}`);
      expect(ids.length).toBeGreaterThan(2);
      expect(ids).toEqual([...new Set(ids)]);
    });

    // `kubectl apply`, and Argo CD by it, keep an object in an annotation of itself: 256 KiB. Go writes <, > and & in six bytes.
    it('renders objects that `kubectl apply` can make', () => {
      for (const object of objects) {
        const applied = JSON.stringify(object).replace(/[<>&]/g, '\\u0000');
        expect([object.metadata.name, Buffer.byteLength(applied) < 250_000]).toEqual([object.metadata.name, true]);
      }
    });

    it('passes helm lint --strict', async () => expect(await lint(values)).toBe(''));

    it('installs the same objects, and prints how to reach n8n', async () => {
      const installed = await install(values);
      expect(digests(installed.objects)).toEqual(recordable[name]);
      const [main] = objects.filter(({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-main'));
      const [port] = main!.spec.ports;
      const forward = `port-forward service/${main!.metadata.name} 5678:${port.port}`;
      expect(installed.notes).toContain(`kubectl --namespace default ${forward}`);
    });

    testSecrecy(objects);
  },
);

/**
 * Values that no file of ci/ or profiles/ sets: what only another image, database or Secret has, what a cluster cannot be asked in a
 * dry run (objects of another namespace), and what a person says once.
 */
const UNSET = [
  /Key$|\.(repository|tag|digest|caKey|key)$|^encryptionKey\.accept|^expressionEngine\.acceptLessSafe$|^acceptUnroutedUrl$/,
  /^external(Postgresql|Redis)\.(database|port|user|tls\.rejectUnauthorized)$|^binaryData\.s3\.protocol$/,
  /^(postgresql|redis)\.(enabled|persistence\.enabled|runAsUser)$|^networkPolicy\.(redisFrom|postgresqlTo|redisTo)$/,
  /^metrics\.serviceMonitor\.namespace$|^metrics\.dashboard\.labels|^main\.persistence\.existingClaim$/,
  /^(nameOverride|heap\.enabled|heap\.headroom\.child|serviceAccount\.create|multiMain\.replicas)$/,
  /^communityPackages\.(image\.path|resources)|^(loadTest|taskRunners)\.resources|^loadTest\.activeDeadlineSeconds$/,
  /^loadTargets\.ceilings\.|extra(Init)?Containers$|^webhook\.extraEnvFrom$|^worker\.podDisruptionBudget\.enabled$/,
  /^worker\.autoscaling\.(behavior|targetCPUUtilizationPercentage)$/,
];

it('set every other value once, so that a real cluster is asked', () => {
  const leaves = (value: Values, path = ''): string[] =>
    Object.entries(value ?? {}).flatMap(([key, inner]) => {
      const here = path ? `${path}.${key}` : key;
      const isLeaf = inner === null || typeof inner !== 'object' || Array.isArray(inner) || isEmpty(inner);
      return isLeaf ? [here] : leaves(inner as Values, here);
    });
  const isEmpty = (inner: object) => Object.keys(inner).length === 0;
  const set = valuesFiles().flatMap((file) => leaves(valuesOf(file)));
  const unset = leaves(valuesOf('values.yaml')).filter(
    (path) => !set.some((one) => one === path || one.startsWith(`${path}.`)),
  );
  expect(unset.filter((path) => !UNSET.some((allowed) => allowed.test(path)))).toEqual([]);
  for (const allowed of UNSET) expect(unset.some((path) => allowed.test(path))).toBe(true);
});
