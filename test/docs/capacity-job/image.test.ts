import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './manifests.js';

/** Checks of the Dockerfile that need no container engine. */

const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
const instructions = text
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => line.split(/\s+/));
const of = (name: string) => instructions.filter(([instruction]) => instruction === name).map(([, ...words]) => words);
const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));

test('the last stage does not run as root and has no package manager', () => {
  expect(last.filter(([name]) => name === 'USER')).toEqual([['USER', '1000:1000']]);
  expect(last.filter(([name]) => name === 'RUN').join(' ')).not.toMatch(/apt|npm|curl|wget/);
});

test('the last stage copies only the results of other stages, and no source of the repository', () => {
  const stages = of('FROM').flatMap((words) => (words[1] === 'AS' ? [words[2]!] : []));
  expect(stages).toEqual(['build', 'kubectl']);
  const copied = last.filter(([name]) => name === 'COPY').map(([, from]) => from);
  for (const from of copied) expect(stages.map((stage) => `--from=${stage}`)).toContain(from);
});

test('the image has the Node version of the newest runtime and the kubectl version of the lab', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'runtimes/n8n-2/package.json'), 'utf8')) as {
    dependencies: { node: string };
  };
  const images = of('FROM').map(([image]) => image!);
  expect(images.filter((image) => image.startsWith('node:')).map((image) => image.split(/[:-]/)[1])).toEqual([
    dependencies.node,
    dependencies.node,
  ]);
  const lab = readFileSync(join(root, 'tools/cluster-lab/src/kubebox/go.mod'), 'utf8');
  const [, kubernetes] = /k8s\.io\/kubernetes (v[\d.]+)/.exec(lab)!;
  expect(images).toContain(`registry.k8s.io/kubectl:${kubernetes}`);
});

test('the linked program is the one of the package', () => {
  const stage = readFileSync(join(root, 'scripts/stage.mjs'), 'utf8');
  const [, program] = /bin: \{ 'n8n-capacity': '([^']+)' \}/.exec(stage)!;
  expect(text).toContain(`/node_modules/n8n-capacity/${program}`.slice(1));
  expect(existsSync(join(root, program!))).toBe(true);
});

test('the build context contains only the package', () => {
  const ignore = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
  expect(ignore).toEqual(['*', '!dist/packages/n8n-capacity-*.tgz']);
  expect(text).toContain('COPY dist/packages/n8n-capacity-*.tgz');
});
