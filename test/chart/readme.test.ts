import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { advisoriesFor } from '../../capacity/src/chart/advisories.js';
import { chart, valuesFiles } from './render.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(file, 'utf8');
const documents = ['README.md', 'UPGRADING.md', '../../docs/chart/backup.md', '../../docs/chart/features.md'].map(
  (name) => join(chart, name),
);

it('matches values.yaml and the profiles (else: npm run chart:readme)', () => {
  const { status, stderr } = spawnSync('node', ['scripts/chart-readme.mjs', '--check'], {
    cwd: repository,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it('matches features.json, for four charts', () => {
  const { status, stderr } = spawnSync('node', ['scripts/chart-features.mjs', '--check'], {
    cwd: repository,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it('names a test of each feature that the chart has, which is in the file that it names', () => {
  const { features } = JSON.parse(read(join(repository, 'docs/chart/features.json')));
  const own: { has: string; test?: string; title?: string }[] = features.map((one: any) => one['n8n-tuned']);
  expect(own.filter(({ has, title }) => has === 'yes' && !title)).toEqual([]);
  const missing = own.filter(({ test, title }) => {
    if (!test) return false;
    const text = read(join(repository, test));
    // The cases of a check are tested by one function.
    const tested = /await tests\(/.test(text) ? text + read(join(chart, '../../test/chart/checks/cases.ts')) : text;
    return ![`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => tested.includes(quoted));
  });
  expect(missing).toEqual([]);
});

describe.each(documents)('%s', (file) => {
  it('links to what is there', () => {
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#([^)]+))?(?: (?:"[^"]*"|'[^']*'))?\)/g)];
    for (const [, path, heading] of links) {
      const target = join(dirname(file), path!);
      expect({ path, there: existsSync(target) }).toMatchObject({ there: true });
      if (heading) {
        const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, h]) =>
          h!
            .toLowerCase()
            .replace(/[^\w\- ]/g, '')
            .replaceAll(' ', '-'),
        );
        expect(headings).toContain(heading);
      }
    }
  });
});

it.each(['README.md', 'UPGRADING.md'])('%s links to nothing that is not in the package', (name) => {
  expect(read(join(chart, name))).not.toMatch(/\]\((\.\.\/|ci\/)/);
});

describe('Chart.yaml', () => {
  const { annotations, ...metadata } = parse(read(join(chart, 'Chart.yaml')));

  it('names every image of values.yaml', () => {
    const images = (values: any): string[] =>
      Object.entries<any>(values ?? {}).flatMap(([key, inner]) => {
        if (inner === null || typeof inner !== 'object') return [];
        const own =
          key === 'image' && inner.repository ? [`${inner.repository}:${inner.tag || metadata.appVersion}`] : [];
        return [...own, ...images(inner)];
      });
    const named = parse(annotations['artifacthub.io/images']).map(({ image }: { image: string }) => image);
    expect(named.sort()).toEqual(images(parse(read(join(chart, 'values.yaml')))).sort());
  });

  it('names the versions of n8n that the tests run', () => {
    const pinned = ['n8n-2', 'n8n-1', 'n8n-0'].map(
      (name) => JSON.parse(read(join(repository, 'runtimes', name, 'package.json'))).dependencies.n8n,
    );
    expect(annotations['n8n-tuned/n8n-run'].split(', ')).toEqual(pinned);
  });

  it('deploys a patch of the minor version that the tests run, not an older one', () => {
    const [run] = annotations['n8n-tuned/n8n-run'].split(', ');
    const minor = (version: string) => version.split('.').slice(0, 2);
    expect(minor(metadata.appVersion)).toEqual(minor(run));
    expect(Number(metadata.appVersion.split('.')[2])).toBeGreaterThanOrEqual(Number(run.split('.')[2]));
  });

  it('deploys an n8n without a known critical vulnerability, and with none that needs no login', () => {
    const { known, withoutLogin, isNewer } = advisoriesFor(metadata.appVersion)!;
    expect(known.filter(({ severity }) => severity === 'critical')).toEqual([]);
    expect([withoutLogin, isNewer]).toEqual([0, false]);
  });

  it('has changes of the kinds that Artifact Hub knows', () => {
    const changes: { kind: string; description: string }[] = parse(annotations['artifacthub.io/changes']);
    expect(changes.length).toBeGreaterThan(0);
    for (const { kind, description } of changes) {
      expect(['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']).toContain(kind);
      expect(description).toMatch(/\w/);
    }
  });

  it('has a line in UPGRADING.md for its version', () => {
    expect(read(join(chart, 'UPGRADING.md'))).toMatch(new RegExp(`^\\| ${metadata.version} +\\|`, 'm'));
  });
});

it('packs the README and the profiles, not the values of the tests', () => {
  const ignored = read(join(chart, '.helmignore')).split('\n');
  expect(ignored).toContain('ci/');
  for (const name of ['README.md', 'UPGRADING.md', 'profiles/']) expect(ignored).not.toContain(name);
  expect(valuesFiles().length).toBeGreaterThan(5);
});
