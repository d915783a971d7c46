import { ExplainedError } from '../../shared/explained';
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
  | 'no-queue'
  | 'unknown'
  | 'inconsistent'
  | 'other';

/** A queue could not be read. The text names what was tried, what failed and what to do. It holds no password. */
export class QueueProblem extends ExplainedError {
  constructor(
    readonly code: ProblemCode,
    what: string,
    description?: string,
  ) {
    super(what, description);
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

/** The explanation of one kind of problem. */
interface Explanation {
  code: ProblemCode;
  /** Follows the name of the Redis. `detail` is what Redis or Node said. */
  what: (detail: string) => string;
  /** What to do, as sentences. */
  advice: (address: QueueAddress) => string;
}

const explanation = (
  code: ProblemCode,
  what: string | Explanation['what'],
  advice: string | Explanation['advice'],
): Explanation => ({
  code,
  what: typeof what === 'string' ? () => what : what,
  advice: typeof advice === 'string' ? () => advice : advice,
});

const tlsSwitch = ({ tls }: QueueAddress): string =>
  tls ? 'If it does not use TLS, switch TLS off.' : 'If it uses TLS, switch TLS on.';

const TIMEOUT = explanation(
  'timeout',
  'did not answer in time',
  (address) => `Check host, port and firewalls. ${tlsSwitch(address)}`,
);
const CLOSED = explanation('closed', 'closed the connection', tlsSwitch);
const NO_TLS = explanation('tls', 'does not answer in TLS', tlsSwitch);
const NOT_TRUSTED = explanation(
  'certificate',
  (detail) => `sent a certificate that is not trusted (${detail})`,
  'Set CA Certificate to the authority that signed it.',
);
const NO_ROUTE = explanation(
  'unreachable',
  'cannot be reached: there is no route to it',
  'Check the host and the network.',
);

/** By Node's error code. */
const BY_CODE: Record<string, Explanation> = {
  ECONNREFUSED: explanation(
    'refused',
    'refused the connection',
    'Check that Redis is running, and check host and port.',
  ),
  ENOTFOUND: explanation('not-found', 'cannot be found: the host name does not exist', 'Check the host.'),
  EAI_AGAIN: explanation(
    'not-found',
    'cannot be found: the host name could not be resolved',
    'Check the host and the name server.',
  ),
  ETIMEDOUT: TIMEOUT,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: explanation(
    'certificate',
    'sent a certificate for another host name',
    'Set Server Name, or the host, to a name in the certificate.',
  ),
  CERT_HAS_EXPIRED: explanation('certificate', 'sent a certificate that has expired', 'Renew the certificate.'),
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  CERT_SIGNATURE_FAILURE: NOT_TRUSTED,
};

/** By the message of Redis, ioredis or OpenSSL. The first match is used. */
const BY_MESSAGE: Array<[RegExp, Explanation]> = [
  [
    /WRONGPASS|invalid password/i,
    explanation('authentication', 'refused the user and password', 'Correct them in the credential.'),
  ],
  [/NOAUTH/, explanation('authentication', 'requires a password', 'Set Password, and User if it is not "default".')],
  [
    // The second is the message of Redis 7 for a refused command in a script. Bull pauses and resumes with a script.
    /NOPERM|user executing the script can't/,
    explanation(
      'permission',
      (detail) => `refuses a command to this user (${detail})`,
      'Allow it to read: ' +
        'ACL SETUSER name ~prefix:* +@read +@connection +@transaction +client|list +cluster|slots. ' +
        'To pause and resume: &prefix:* +eval +evalsha +rename +set +del +hset +hdel +publish.',
    ),
  ],
  [
    /DB index is out of range|invalid DB index/i,
    explanation('database', 'has no database of this number', 'Correct Database in the credential.'),
  ],
  [
    /SELECT is not allowed in cluster mode/i,
    explanation('cluster', 'is a node of a Redis Cluster', 'Set Cluster Nodes to its address.'),
  ],
  [
    /\bMOVED \d+/,
    explanation(
      'cluster',
      'is a node of a Redis Cluster, and another node holds this queue',
      ({ prefix }) =>
        'Set Cluster Nodes to its addresses. ' + `n8n then uses the prefix {${prefix.replace(/^\{|\}$/g, '')}}.`,
    ),
  ],
  [
    /cluster support disabled/i,
    explanation(
      'single-server',
      'is a single server, not a cluster',
      'Set Host and Port to its address, and leave Cluster Nodes empty.',
    ),
  ],
  [
    /CLUSTERDOWN/,
    explanation(
      'cluster-down',
      'is down: the cluster does not serve all slots',
      'Repair it with redis-cli --cluster check.',
    ),
  ],
  [/LOADING/, explanation('loading', 'is still loading its data', 'Try again later.')],
  [/wrong version number|packet length too long/i, NO_TLS],
  [
    /Protocol error/,
    explanation('no-redis', 'does not answer like Redis', (address) => `Check host and port. ${tlsSwitch(address)}`),
  ],
  [/^timeout$/, TIMEOUT],
  [/closed/i, CLOSED],
  [
    /not valid JSON|in JSON at|JSON input/,
    explanation('job-data', 'holds a job whose data is not JSON, so n8n did not add it', 'Check prefix and queue.'),
  ],
];

/** Turns an error of a request to `address` into a QueueProblem. */
export function toQueueProblem(error: unknown, address: QueueAddress): QueueProblem {
  if (error instanceof QueueProblem) return error;
  const { lastNodeError, previousErrors, ...own } = readThrown(error);
  const { code = '', message = '' } = lastNodeError ?? previousErrors?.[0] ?? own;
  const detail = withoutPassword(message, address);
  const known = BY_CODE[code] ?? BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
  if (known) return new QueueProblem(known.code, `${redisName(address)} ${known.what(detail)}`, known.advice(address));
  return new QueueProblem(
    'other',
    `${redisName(address)} did not answer while ${queueName(address)} was read: ${detail}`,
    'Check that Redis works, and that the prefix and the queue are those of n8n.',
  );
}

function readThrown(error: unknown): Thrown {
  const { code, message, lastNodeError, previousErrors } = (error ?? {}) as Thrown;
  return { code, message: message ?? String(error), lastNodeError, previousErrors };
}

/**
 * Removes the password: Redis repeats the arguments of a command that it does not know, which can be AUTH, and cuts them
 * off.
 */
function withoutPassword(text: string, { password }: QueueAddress): string {
  return password
    ? text
        .split(password)
        .join('***')
        .replace(/, with args beginning with: [^]*/i, '')
    : text;
}
