import { messageOf, UsageError } from '../../core/errors.js';
import type { S3Address } from './address.js';

/** What to do, by the name of the error that S3 answers or the SDK throws. */
const BY_NAME: Record<string, string> = {
  NoSuchBucket: 'there is no such bucket; make it, or name one that is there',
  AccessDenied: 'these credentials may not do that; they need s3:ListBucket, s3:GetObject and s3:PutObject',
  InvalidAccessKeyId:
    'the server does not know this access key; check AWS_ACCESS_KEY_ID, or the profile in AWS_PROFILE',
  SignatureDoesNotMatch: 'the secret does not belong to this access key; check AWS_SECRET_ACCESS_KEY',
  ExpiredToken: 'these credentials have expired; get new ones',
  CredentialsProviderError:
    'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or what else the AWS SDK reads',
  AuthorizationHeaderMalformed: "AWS_REGION is not the bucket's region; set it to that",
  PermanentRedirect:
    "AWS_REGION is not the bucket's region, or this is not its server; set AWS_REGION or --s3-endpoint",
};

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'EPIPE']);

/** What went wrong between here and S3, in one line that says what to do. */
export function explained(error: unknown, { url, endpoint, pathStyle }: S3Address): UsageError {
  if (error instanceof UsageError) return error;
  const { name = '', code } = (error ?? {}) as { name?: string; code?: string };
  const said = messageOf(error).split('\n')[0]!;
  const todo = BY_NAME[name] ?? (said === 'Region is missing' ? 'set AWS_REGION to that of the bucket' : undefined);
  if (todo !== undefined) return new UsageError(`${url}: ${todo} (${said}).`);
  const where = endpoint ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL ?? 'AWS';
  if (NETWORK.has(code ?? '') || name === 'TimeoutError') {
    const style = pathStyle ? '' : ', and --s3-path-style where the server wants it';
    return new UsageError(
      `${url}: ${where} cannot be reached (${said || code}); check the network, --s3-endpoint${style}.`,
    );
  }
  return new UsageError(`${url}: S3 at ${where} failed (${[name, said].filter(Boolean).join(': ')}).`);
}
