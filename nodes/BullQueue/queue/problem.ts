import { queueName, redisName, type QueueAddress } from './address';

/** Why a queue could not be read. */
export type ProblemCode =
  | 'refused'
  | 'not-found'
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'lost'
  | 'tls'
  | 'certificate'
  | 'authentication'
  | 'permission'
  | 'database'
  | 'cluster'
  | 'single-server'
  | 'cluster-down'
  | 'loading'
  | 'no-redis'
  | 'job-data'
  | 'prefix'
  | 'inconsistent'
  | 'other';

/** A queue could not be read. The message names what was tried, what failed and what to do. It holds no password. */
export class QueueProblem extends Error {
  constructor(
    readonly code: ProblemCode,
    message: string,
  ) {
    super(message);
  }
}

/** The shape of a thrown value. `instanceof` is not used, because it may come from another realm. */
interface Thrown {
  code?: string;
  message?: string;
  /** Set if every node of a cluster failed. */
  lastNodeError?: Thrown;
  /** Set by a transaction: why each command was refused. */
  previousErrors?: Thrown[];
}

/** A problem, and its description, which follows the name of the Redis. */
type Explanation = [code: ProblemCode, text: string | ((address: QueueAddress, detail: string) => string)];

const tlsSwitch = ({ tls }: QueueAddress): string =>
  tls ? 'If it does not use TLS, switch TLS off' : 'If it uses TLS, switch TLS on';

const TIMEOUT: Explanation = [
  'timeout',
  (address) => `did not answer in time. Check host, port and firewalls. ${tlsSwitch(address)}`,
];
const CLOSED: Explanation = ['closed', (address) => `closed the connection. ${tlsSwitch(address)}`];
const NO_TLS: Explanation = ['tls', (address) => `does not answer in TLS. ${tlsSwitch(address)}`];
const NOT_TRUSTED: Explanation = [
  'certificate',
  (_, detail) =>
    `sent a certificate that is not trusted (${detail}). Set CA Certificate to the authority that signed it`,
];
const NO_ROUTE = 'cannot be reached: there is no route to it. Check the host and the network';

/** By Node's error code. */
const BY_CODE: Record<string, Explanation> = {
  ECONNREFUSED: ['refused', 'refused the connection. Check that Redis is running, and check host and port'],
  ENOTFOUND: ['not-found', 'cannot be found: the host name does not exist. Check the host'],
  EAI_AGAIN: ['not-found', 'cannot be found: the host name could not be resolved. Check the host and the name server'],
  ETIMEDOUT: TIMEOUT,
  EHOSTUNREACH: ['unreachable', NO_ROUTE],
  ENETUNREACH: ['unreachable', NO_ROUTE],
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'certificate',
    'sent a certificate for another host name. Set Server Name, or the host, to a name in the certificate',
  ],
  CERT_HAS_EXPIRED: ['certificate', 'sent a certificate that has expired. Renew it'],
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  CERT_SIGNATURE_FAILURE: NOT_TRUSTED,
};

/** By the message of Redis, ioredis or OpenSSL. The first match is used. */
const BY_MESSAGE: Array<[RegExp, Explanation]> = [
  [/WRONGPASS|invalid password/i, ['authentication', 'refused the user and password. Correct them']],
  [/NOAUTH/, ['authentication', 'requires a password. Set it, and the user if it is not "default"']],
  [
    // The second is how Redis 7 refuses a command in a script, with which Bull pauses and resumes.
    /NOPERM|user executing the script can't/,
    [
      'permission',
      (_, detail) =>
        `refuses a command to this user (${detail}). Allow it to read: ` +
        'ACL SETUSER name ~prefix:* +@read +@connection +@transaction +client|list +cluster|slots. ' +
        'To pause and resume: &prefix:* +eval +evalsha +rename +set +del +hset +hdel +publish',
    ],
  ],
  [/DB index is out of range|invalid DB index/i, ['database', 'has no database of this number. Correct it']],
  [
    /SELECT is not allowed in cluster mode/i,
    ['cluster', 'is a node of a Redis Cluster. Set Cluster Nodes to its address'],
  ],
  [
    /\bMOVED \d+/,
    [
      'cluster',
      ({ prefix }) =>
        'is a node of a Redis Cluster, and another node holds this queue. Set Cluster Nodes to its addresses; ' +
        `n8n then uses the prefix {${prefix.replace(/^\{|\}$/g, '')}}`,
    ],
  ],
  [
    /cluster support disabled/i,
    ['single-server', 'is a single server. Set Host and Port to its address, and leave Cluster Nodes empty'],
  ],
  [
    /CLUSTERDOWN/,
    ['cluster-down', 'is down: the cluster does not serve all slots. Repair it (redis-cli --cluster check)'],
  ],
  [/LOADING/, ['loading', 'is still loading its data. Try again later']],
  [/wrong version number|packet length too long/i, NO_TLS],
  [
    /Protocol error/,
    ['no-redis', (address) => `does not answer like Redis. Check host and port. ${tlsSwitch(address)}`],
  ],
  [/^timeout$/, TIMEOUT],
  [/closed/i, CLOSED],
  [
    /not valid JSON|in JSON at|JSON input/,
    ['job-data', 'holds a job whose data is not JSON, so n8n did not add it. Check prefix and queue'],
  ],
];

/** Turns an error of a request to `address` into a QueueProblem. */
export function explain(error: unknown, address: QueueAddress): QueueProblem {
  if (error instanceof QueueProblem) return error;
  const { lastNodeError, previousErrors, ...own } = shapeOf(error);
  const { code = '', message = '' } = lastNodeError ?? previousErrors?.[0] ?? own;
  const detail = withoutPassword(message, address);
  const [problem, explanation]: Explanation = BY_CODE[code] ??
    BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? [
      'other',
      `returned an error while ${queueName(address)} was read: ${detail}`,
    ];
  const text = typeof explanation === 'string' ? explanation : explanation(address, detail);
  return new QueueProblem(problem, `${redisName(address)} ${text}.`);
}

function shapeOf(error: unknown): Thrown {
  const { code, message, lastNodeError, previousErrors } = (error ?? {}) as Thrown;
  return { code, message: message ?? String(error), lastNodeError, previousErrors };
}

/** Removes the password: Redis repeats the arguments of a command that it does not know, which can be AUTH. */
function withoutPassword(text: string, { password }: QueueAddress): string {
  return password ? text.split(password).join('***') : text;
}
