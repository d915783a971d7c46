import { X509Certificate } from 'node:crypto';
import type { ICredentialDataDecryptedObject, ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import { ParameterError, readNumber } from '../shared/parameters';
import { openChecked } from './connections';
import { queueName, readHost, readNodes, redisName, type QueueAddress } from './queue/address';
import { readCounts } from './queue/counts';
import { findQueues, listed } from './queue/find';

const PREFIX = 'Prefix of the credential';
const QUEUE = 'Queue of the credential';

/**
 * Reads the fields of the credential.
 * @throws ParameterError that names the field. The message holds no secret.
 */
export function addressOf(fields: ICredentialDataDecryptedObject): QueueAddress {
  const user = textOf(fields.user);
  const password = textOf(fields.password);
  const prefix = textOf(fields.prefix).trim();
  const queue = textOf(fields.queue).trim();
  if (!prefix) throw new ParameterError(PREFIX, `${PREFIX} is empty: n8n uses "bull" unless QUEUE_BULL_PREFIX is set`);
  if (!queue) throw new ParameterError(QUEUE, `${QUEUE} is empty: n8n uses "jobs"`);
  return {
    redis: serverOf(fields),
    ...(user && { user }),
    ...(password && { password }),
    ...(fields.tls === true && { tls: tlsOf(fields) }),
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

/** Node ignores a CA certificate that it cannot read, so it is checked here. */
function tlsOf(fields: ICredentialDataDecryptedObject): QueueAddress['tls'] {
  const ca = textOf(fields.ca).trim();
  const servername = textOf(fields.serverName).trim();
  const named = servername ? { servername: readHost('Server Name of the credential', servername) } : {};
  if (!ca) return named;
  if (isCertificate(ca)) return { ca, ...named };
  const name = 'CA Certificate of the credential';
  throw new ParameterError(
    name,
    `${name} is not a certificate in PEM, which begins with "-----BEGIN CERTIFICATE-----"`,
  );
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}

/** A text, or a number as text, because an expression can give a password as a number. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Tests a credential: reads the queue, and returns the number of jobs, or why the queue cannot be read. */
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
      // The editor shows a message only for errors, and this is also what a misspelt queue looks like.
      return { status: 'Error', message: `${name} never had a job. Queues there: ${listed(others)}.` };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return { status: 'Error', message: (error as Error).message };
  }
}
