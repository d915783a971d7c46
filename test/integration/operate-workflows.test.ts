import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { BullQueue } from '../../nodes/BullQueue/BullQueue.node.js';

/**
 * Checks that n8n knows every node of workflows/operate in its version, with its parameters and choices. n8n ignores an
 * unknown parameter, so nobody would notice a misspelt one.
 */

const cache = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');
const folder = join(import.meta.dirname, '../../workflows/operate');
const workflows = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
/** Workflows that need n8n 2, as the folder's README says. */
const NEEDS_2 = ['n8n-tuned: backlog-alarm'];

/** The descriptions of n8n's own nodes in an installed runtime, and of Bull Queue. */
function readDescriptions(runtime: string): INodeTypeDescription[] {
  const n8n = join(cache, 'runtimes', runtime, 'node_modules/n8n/package.json');
  const types = JSON.parse(readFileSync(createRequire(n8n).resolve('n8n-nodes-base/dist/types/nodes.json'), 'utf8'));
  const own = types.map((type: any) => ({ ...type, name: `n8n-nodes-base.${type.name.split('.').pop()}` }));
  return [...own, { ...new BullQueue().description, name: 'n8n-nodes-tuned.bullQueue' }];
}

/** Problems of parameters: unknown names, and values that are not among the choices. */
function findUnknownParameters(properties: INodeProperties[], parameters: Record<string, any>, path = ''): string[] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const named = properties.filter((property) => property.name === name);
    const at = `${path}${name}`;
    if (named.length === 0) return [at];
    // n8n loads the choices with a function.
    if (named.some(({ type, typeOptions }) => type === 'resourceMapper' || typeOptions?.loadOptionsMethod)) return [];
    if (named.some(({ type }) => type === 'options')) {
      const choices = named.flatMap(({ options = [] }) => options.map((option: any) => option.value));
      return String(value).startsWith('=') || choices.includes(value) ? [] : [`${at}: ${String(value)}`];
    }
    const inner = named.flatMap(({ options = [] }) => options as any[]);
    if (named.some(({ type }) => type === 'collection')) return findUnknownParameters(inner, value, `${at}.`);
    if (named.some(({ type }) => type === 'fixedCollection')) {
      return Object.entries<any>(value).flatMap(([group, entries]) => {
        const values = inner.filter((option) => option.name === group).flatMap((option) => option.values);
        if (values.length === 0) return [`${at}.${group}`];
        return [entries].flat().flatMap((entry) => findUnknownParameters(values, entry, `${at}.${group}.`));
      });
    }
    return [];
  });
}

describe.each(['n8n-2', 'n8n-1'])('%s', (runtime) => {
  let known: INodeTypeDescription[];
  beforeAll(() => void (known = readDescriptions(runtime)));

  const nodes = workflows
    .filter(({ name }) => runtime === 'n8n-2' || !NEEDS_2.includes(name))
    .flatMap((workflow) => workflow.nodes);
  test.each(nodes.map((node) => [`${node.name} (${node.type})`, node]))(
    '%s',
    (_, { type, typeVersion, parameters }) => {
      const description = known.find(({ name, version }) => name === type && [version].flat().includes(typeVersion));
      expect(description).toBeDefined();
      expect(findUnknownParameters(description!.properties, parameters)).toEqual([]);
    },
  );

  test('a misspelt parameter and a wrong choice are noticed', () => {
    const { properties } = known.find(({ name }) => name === 'n8n-nodes-base.n8n')!;
    expect(findUnknownParameters(properties, { resorce: 'execution' })).toEqual(['resorce']);
    expect(findUnknownParameters(properties, { resource: 'executions' })).toEqual(['resource: executions']);
    expect(findUnknownParameters(properties, { filters: { state: 'new' } })).toEqual(['filters.state']);
  });
});
