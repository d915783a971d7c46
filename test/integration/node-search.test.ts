import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { BullQueue } from '../../nodes/BullQueue/BullQueue.node.js';
import { BullQueueTrigger } from '../../nodes/BullQueue/BullQueueTrigger.node.js';
import { LoadTarget } from '../../nodes/LoadTarget/LoadTarget.node.js';

/** Tests the search words of our nodes with the search of n8n's editor, among n8n's own nodes. */

const root = join(import.meta.dirname, '../..');
const cache = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');
const n8n = createRequire(join(cache, 'runtimes/n8n-2/node_modules/n8n/package.json'));

interface Found {
  properties: { displayName: string; codex?: { alias?: string[] } };
}
type Search = (text: string, data: Found[]) => Array<{ item: Found; score: number }>;

const ours = [new BullQueue(), new BullQueueTrigger(), new LoadTarget()].map(({ description: { displayName } }) => {
  const name = displayName.replaceAll(' ', '');
  const codex = JSON.parse(readFileSync(join(root, `nodes/${name.replace('Trigger', '')}/${name}.node.json`), 'utf8'));
  return { properties: { displayName, codex } };
});
const nameOf = ({ properties }: Found) => properties.displayName;

let search: Search;
let others: Found[];
beforeAll(() => {
  search = n8n('@n8n/utils/dist/search/sublime-search').sublimeSearch;
  const types = JSON.parse(readFileSync(n8n.resolve('n8n-nodes-base/dist/types/nodes.json'), 'utf8'));
  const visible = types.filter(({ hidden }: any) => !hidden);
  const byName = new Map<string, Found>(visible.map((type: any) => [type.name, { properties: type }]));
  others = [...byName.values()];
});

/** Which of our nodes are among the first ten results. */
const inTopTen = (text: string, nodes: Found[]): string[] =>
  search(text, [...others, ...nodes])
    .slice(0, 10)
    .filter(({ item }) => nodes.includes(item))
    .map(({ item }) => nameOf(item));

test('the search words are few', () => {
  for (const { properties } of ours) expect(properties.codex.alias.length).toBeLessThanOrEqual(3);
});

test('each search word finds its node first or second', () => {
  for (const node of ours) {
    for (const alias of node.properties.codex.alias) {
      const [first, second] = search(alias, [...others, ...ours]).map(({ item }) => nameOf(item));
      expect([first, second]).toContain(nameOf(node));
    }
  }
});

test('a search for another node by its name or the beginning of it does not show ours among the first results', () => {
  const nameOnly = ours.map(({ properties: { displayName } }) => ({ properties: { displayName } }));
  const texts = new Set(others.map(nameOf).flatMap((name) => [name, name.slice(0, 3), name.slice(0, 4)]));
  const crowded = [...texts].filter((text) => {
    const found = inTopTen(text, ours);
    return found.length > 0 && !found.every((name) => inTopTen(text, nameOnly).includes(name));
  });
  expect(crowded).toEqual([]);
}, 120_000);
