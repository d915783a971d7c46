import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { readAddress } from './credential';
import { keyPrefix } from './queue/address';
import { QueueConnection } from './queue/connection';
import { findQueues } from './queue/find';

/** The queues under the prefix of the credential, for the list of the parameter Queue. Their names contain `filter`. */
export async function searchQueues(
  context: Pick<ILoadOptionsFunctions, 'getCredentials'>,
  filter = '',
): Promise<INodeListSearchResult> {
  const address = readAddress(await context.getCredentials('bullQueueApi'));
  const connection = await QueueConnection.open(address);
  try {
    const prefix = keyPrefix(address);
    const { names } = await findQueues(connection, { prefix });
    const queues = names.map((name) => name.slice(prefix.length + 1));
    const isWanted = (name: string) => name.toLowerCase().includes(filter.toLowerCase());
    return { results: queues.filter(isWanted).map((name) => ({ name, value: name })) };
  } finally {
    await connection.close();
  }
}
