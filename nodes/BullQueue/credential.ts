import { X509Certificate } from 'node:crypto';
import type { ICredentialDataDecryptedObject, ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import { ParameterError, readNumber } from '../shared/parameters';
import { queueName, readHost, readNodes, redisName, type QueueAddress } from './queue/address';
import { QueueConnection } from './queue/connection';
import { readCounts } from './queue/counts';
import { findQueues, listNames } from './queue/find';

const PREFIX = 'Prefix of the credential';
const QUEUE = 'Queue of the credential';

/**
 * Reads the fields of the credential.
 * @throws ParameterError that names the field. The message holds no secret.
 */
export function readAddress(fields: ICredentialDataDecryptedObject): QueueAddress {
  const user = toText(fields.user);
  const password = toText(fields.password);
  const prefix = toText(fields.prefix).trim();
  const queue = toText(fields.queue).trim();
  if (!prefix)
    throw new ParameterError(PREFIX, `${PREFIX} is empty`, 'n8n uses "bull" unless QUEUE_BULL_PREFIX is set.');
  if (!queue) throw new ParameterError(QUEUE, `${QUEUE} is empty`, 'n8n uses "jobs".');
  return {
    redis: readServer(fields),
    ...(user && { user }),
    ...(password && { password }),
    ...(fields.tls === true && { tls: readTls(fields) }),
    prefix,
    queue,
  };
}

function readServer(fields: ICredentialDataDecryptedObject): QueueAddress['redis'] {
  const nodes = readNodes('Cluster Nodes of the credential', toText(fields.clusterNodes));
  if (nodes.length > 0) return { nodes };
  return {
    host: readHost('Host of the credential', toText(fields.host)),
    port: readNumber('Port of the credential', fields.port, { min: 1, max: 65_535, integer: true }),
    database: readNumber('Database of the credential', fields.database, { min: 0, max: 65_535, integer: true }),
  };
}

/** Node ignores a CA certificate that it cannot read, so it is checked here. */
function readTls(fields: ICredentialDataDecryptedObject): QueueAddress['tls'] {
  const ca = toText(fields.ca).trim();
  const servername = toText(fields.serverName).trim();
  const named = servername ? { servername: readHost('Server Name of the credential', servername) } : {};
  if (!ca) return named;
  if (isCertificate(ca)) return { ca, ...named };
  const name = 'CA Certificate of the credential';
  throw new ParameterError(
    name,
    `${name} is not a certificate in PEM`,
    'Copy the whole certificate, which begins with "-----BEGIN CERTIFICATE-----".',
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
const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * Reads the parameter Queue of the node: a name, or n8n's object for a choice from the list.
 * @returns undefined if it is empty, which means the queue of the credential
 * @throws ParameterError
 */
export function readQueue(parameter: unknown): string | undefined {
  const choice = typeof parameter === 'object' && parameter !== null ? parameter : { value: parameter };
  const { value } = choice as { value?: unknown };
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || !/^[^:\s]+$/.test(value)) {
    throw new ParameterError(
      'Queue',
      'Queue is not the name of a queue',
      'Set Queue to a name without the prefix, such as "jobs".',
    );
  }
  return value;
}

/** Tests a credential: reads the queue, and returns the number of jobs, or why the queue cannot be read. */
export async function testCredential({ data = {} }: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
  try {
    const address = readAddress(data);
    const connection = await QueueConnection.open(address);
    try {
      const { added, waiting, active } = await readCounts(connection);
      const name = `${queueName(address)} in ${redisName(address)}`;
      if (added > 0) return { status: 'OK', message: `${name}: ${waiting} waiting, ${active} active` };
      const { names } = await findQueues(connection);
      const others = names.length === 0 ? 'There is no other queue.' : `Queues there: ${listNames(names)}.`;
      // A new n8n beside another one has such a queue, so it is no error. The editor does not show the message then.
      return { status: 'OK', message: `Warning: ${name} never had a job. ${others}` };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return { status: 'Error', message: (error as Error).message };
  }
}
