import { queueName, redisName, type QueueAddress } from './address';

/** A queue could not be read. The message says what was tried, what failed and what to do, and holds no password. */
export class QueueProblem extends Error {}

/** What may be thrown; looked at by its shape, since it may come from another realm than this module. */
interface Thrown {
  code?: string;
  message?: string;
  /** Of a cluster of which every node failed. */
  lastNodeError?: Thrown;
  /** Of a transaction: why each refused command was refused. */
  previousErrors?: Thrown[];
}

type Explanation = string | ((address: QueueAddress, detail: string) => string);

const tlsSwitch = ({ tls }: QueueAddress): string =>
  tls ? 'If it speaks no TLS, switch TLS off' : 'If it expects TLS, switch TLS on';

const NOT_TRUSTED: Explanation = (_, detail) =>
  `showed a certificate that is not trusted (${detail}). Give the authority that signed it as CA certificate`;

/** By the code that Node gives an error. */
const BY_CODE: Record<string, Explanation> = {
  ECONNREFUSED: 'refused the connection. Check that Redis runs, and host and port',
  ENOTFOUND: 'cannot be found: no such host name. Check the host',
  EAI_AGAIN: 'cannot be found: the host name could not be resolved. Check the host, and the name server',
  ETIMEDOUT: (address) => `did not answer in time. Check host, port and firewalls. ${tlsSwitch(address)}`,
  EHOSTUNREACH: 'cannot be reached: there is no route to the host. Check the host, and the network between',
  ENETUNREACH: 'cannot be reached: there is no route to its network. Check the host, and the network between',
  ECONNRESET: (address) => `closed the connection. ${tlsSwitch(address)}`,
  EPIPE: (address) => `closed the connection. ${tlsSwitch(address)}`,
  EPROTO: (address) => `does not answer in TLS. ${tlsSwitch(address)}`,
  ERR_SSL_WRONG_VERSION_NUMBER: (address) => `does not answer in TLS. ${tlsSwitch(address)}`,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: (address) => `does not answer in TLS. ${tlsSwitch(address)}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'showed a certificate for another host name. Use a name that it was issued for as host',
  CERT_HAS_EXPIRED: 'showed a certificate that has expired. Renew it',
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  CERT_SIGNATURE_FAILURE: NOT_TRUSTED,
};

/** By what Redis, ioredis or OpenSSL say. The first that matches counts. */
const BY_MESSAGE: Array<[RegExp, Explanation]> = [
  [/WRONGPASS|invalid password/i, 'refused user and password. Correct them'],
  [/NOAUTH/, 'wants a password. Give one, with the user it belongs to if it is not "default"'],
  [
    /NOPERM/,
    (_, detail) =>
      `refuses a command to this user (${detail}). Allow it to read: ` +
      'ACL SETUSER name ~prefix:* +@read +@connection +@transaction +client|list +cluster|slots',
  ],
  [/DB index is out of range|invalid DB index/i, 'has no database of this number. Correct it'],
  [/SELECT is not allowed in cluster mode/i, 'is a node of a Redis Cluster. Give its address as cluster nodes'],
  [
    /\bMOVED \d+/,
    ({ prefix }) =>
      'is a node of a Redis Cluster, and another node holds this queue. Give the addresses as cluster nodes; ' +
      `n8n then has the prefix {${prefix.replace(/^\{|\}$/g, '')}}`,
  ],
  [/cluster support disabled/i, 'is a single server. Give its address as host and port, and no cluster nodes'],
  [/CLUSTERDOWN/, 'is down: the cluster does not serve all slots. Repair it (redis-cli --cluster check)'],
  [/LOADING/, 'still loads its data. Try again later'],
  [/wrong version number|packet length too long/i, (address) => `does not answer in TLS. ${tlsSwitch(address)}`],
  [/Protocol error/, (address) => `does not answer as Redis does. Check host and port. ${tlsSwitch(address)}`],
  [/^timeout$/, (address) => `did not answer in time. Check host, port and firewalls. ${tlsSwitch(address)}`],
  [/closed/i, (address) => `closed the connection. ${tlsSwitch(address)}`],
  [
    /not valid JSON|in JSON at|JSON input/,
    'holds a job whose data is no JSON: it is none of n8n’s. Check prefix and queue',
  ],
];

/** Turns whatever was thrown while `address` was asked into a `QueueProblem`. */
export function explain(error: unknown, address: QueueAddress): QueueProblem {
  if (error instanceof QueueProblem) return error;
  const { lastNodeError, previousErrors, ...own } = shapeOf(error);
  const { code = '', message = '' } = lastNodeError ?? previousErrors?.[0] ?? own;
  const detail = withoutPassword(message, address);
  const explanation =
    BY_CODE[code] ??
    BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ??
    `gave an error while ${queueName(address)} was read: ${detail}`;
  const text = typeof explanation === 'string' ? explanation : explanation(address, detail);
  return new QueueProblem(`${redisName(address)} ${text}.`);
}

function shapeOf(error: unknown): Thrown {
  const { code, message, lastNodeError, previousErrors } = (error ?? {}) as Thrown;
  return { code, message: message ?? String(error), lastNodeError, previousErrors };
}

/** Redis repeats the arguments of a command that it does not know, and AUTH can be one. */
function withoutPassword(text: string, { password }: QueueAddress): string {
  return password ? text.split(password).join('***') : text;
}
