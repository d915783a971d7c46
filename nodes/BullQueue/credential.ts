import { X509Certificate } from 'node:crypto';
import type { ICredentialDataDecryptedObject, ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import { readNumber } from '../shared/parameters';
import { openChecked } from './connections';
import { queueName, readHost, readNodes, redisName, type QueueAddress } from './queue/address';
import { readCounts } from './queue/counts';
import { findQueues, listed } from './queue/find';

/** Reads the fields of the credential. Throws an error that names the field; a secret is never part of it. */
export function addressOf(fields: ICredentialDataDecryptedObject): QueueAddress {
  const user = textOf(fields.user);
  const password = textOf(fields.password);
  const prefix = textOf(fields.prefix).trim();
  const queue = textOf(fields.queue).trim();
  if (!prefix) throw new Error('Prefix of the credential is empty: n8n has "bull" unless QUEUE_BULL_PREFIX is set');
  if (!queue) throw new Error('Queue of the credential is empty: n8n has "jobs"');
  return {
    redis: serverOf(fields),
    ...(user && { user }),
    ...(password && { password }),
    ...(fields.tls === true && { tls: tlsOf(textOf(fields.ca).trim()) }),
    prefix,
    queue,
  };
}

function serverOf(fields: ICredentialDataDecryptedObject): QueueAddress['redis'] {
  const nodes = readNodes('Cluster Nodes of the credential', textOf(fields.clusterNodes));
  if (nodes.length > 0) return { nodes };
  return {
    host: readHost('Host of the credential', textOf(fields.host)),
    port: readNumber('Port of the credential', fields.port, { min: 1, max: 65_535, integer: true }),
    database: readNumber('Database of the credential', fields.database, { min: 0, max: 65_535, integer: true }),
  };
}

/** Node passes over a CA certificate that it cannot read: it would be missed only when the server is not trusted. */
function tlsOf(ca: string): QueueAddress['tls'] {
  if (!ca) return {};
  if (isCertificate(ca)) return { ca };
  throw new Error('CA Certificate of the credential is none in PEM, as "-----BEGIN CERTIFICATE-----" begins it');
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}

/** Text, or a number as text: a password that an expression gave. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Reads the queue with the credential that is tested, and says how it fares, or why it cannot be read. */
export async function testCredential({ data = {} }: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
  try {
    const address = addressOf(data);
    const connection = await openChecked(address);
    try {
      const { added, waiting, active } = await readCounts(connection);
      const name = `${queueName(address)} in ${redisName(address)}`;
      if (added > 0) return { status: 'OK', message: `${name}: ${waiting} waiting, ${active} active` };
      const others = await findQueues(connection);
      if (others.length === 0) return { status: 'OK', message: `${name} never had a job. There is no other queue.` };
      // The editor shows the message of an error alone, and a queue that is misspelt looks like this.
      return { status: 'Error', message: `${name} never had a job. Queues there: ${listed(others)}.` };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return { status: 'Error', message: (error as Error).message };
  }
}
