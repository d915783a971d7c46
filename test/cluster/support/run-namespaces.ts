import { kubectl, type Manifest } from './namespace.js';

/** Names of the namespaces that runs of n8n-capacity have made, of anybody. */
export async function runNamespaces(): Promise<string[]> {
  const { items } = JSON.parse(await kubectl(['get', 'namespaces', '-o', 'json']));
  return items
    .map(({ metadata }: Manifest) => metadata.name)
    .filter((name: string) => name.startsWith('n8n-capacity-'));
}
