/**
 * draw-sentences.mjs [--seed N] [--count N] [--of code|pages|values|tests]: draws sentences at random from comments, pages, values.yaml
 * and test titles, with their places. Read them as somebody who does not know the project: at most 2 of 100 may have to be read twice.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sentencesIn } from './eslint-words.mjs';

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    of: { type: 'string' },
  },
});

const files = (...patterns) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

/** Comments in JavaScript and TypeScript: blocks, and lines that follow each other. */
const codeComments = (text) => [
  ...[...text.matchAll(/\/\*\*?([^]*?)\*\//g)].map((found) => [found.index, found[1]]),
  ...[...text.matchAll(/^ *\/\/ ?.*(?:\n *\/\/ ?.*)*/gm)].map((found) => [
    found.index,
    found[0].replace(/^ *\/\/ ?/gm, ''),
  ]),
];

const hashComments = (text) =>
  [...text.matchAll(/^ *# ?.*(?:\n *# ?.*)*/gm)].map((found) => [found.index, found[0].replace(/^ *# ?-* ?/gm, '')]);

/** Paragraphs and items of a page, without code, tables and headings. */
const paragraphs = (text) =>
  [
    ...text
      .replace(/```[^]*?```/g, (code) => '\n'.repeat(code.split('\n').length - 1))
      .matchAll(/(?:^(?!#|\||<|---|\s*$).+\n?)+/gm),
  ].map((found) => [
    found.index,
    found[0].replace(/^\s*(?:[-*]|\d+\.) /gm, '\n- ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
  ]);

const titles = (text) =>
  [...text.matchAll(/\b(?:test|it|describe)(?:\.each\([^]*?\))?\(\s*(['"`])((?:(?!\1).)+)\1/g)].map((found) => [
    found.index,
    found[2],
  ]);

const SOURCES = {
  code: () => [
    files(
      'capacity/src/**/*.ts',
      'experiments/src/**/*.ts',
      'hooks/**/*.js',
      'nodes/**/*.ts',
      'loadtests/**/*.js',
      'bench/**/*.ts',
    ),
    codeComments,
  ],
  pages: () => [
    files('README.md', 'docs/*.md', 'docs/**/*.md', 'hooks/**/*.md', 'charts/**/UPGRADING.md', 'CONTRIBUTING.md'),
    paragraphs,
  ],
  values: () => [files('charts/n8n-tuned/values.yaml', 'charts/n8n-tuned/profiles/*.yaml'), hashComments],
  tests: () => [files('test/**/*.test.ts', 'hooks/**/*.test.ts'), titles],
};

/** Fewest words of a sentence that is worth a look. */
const LEAST_WORDS = 5;

const pool = Object.entries(SOURCES)
  .filter(([kind]) => flags.of === undefined || flags.of === kind)
  .flatMap(([, source]) => {
    const [paths, partsOf] = source();
    return paths.flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      return partsOf(text).flatMap(([at, part]) =>
        sentencesIn(part)
          .filter((sentence) => sentence.split(' ').length >= LEAST_WORDS)
          .map((sentence) => `${path}:${text.slice(0, at).split('\n').length}\t${sentence}`),
      );
    });
  });

/** Mulberry32, as small as a seeded generator gets. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = random(Number(flags.seed));
const drawn = new Set();
while (drawn.size < Math.min(Number(flags.count), pool.length)) drawn.add(pool[Math.floor(next() * pool.length)]);
console.log([...drawn].map((line, i) => `${String(i + 1).padStart(3)}  ${line}`).join('\n'));
console.error(`${drawn.size} of ${pool.length} sentences, seed ${flags.seed}`);
