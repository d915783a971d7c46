import { EnvironmentFault, KnownError, messageOf, UsageError } from '../../core/errors.js';
import type { S3Address } from './address.js';

/** What to do about a wrong address, credentials or region, by the name of the error from S3 or the SDK. */
const USER_ERRORS: Record<string, string> = {
  NoSuchBucket: 'the bucket does not exist; create it, or give another one',
  AccessDenied: 'access denied; the credentials need s3:ListBucket, s3:GetObject and s3:PutObject',
  InvalidAccessKeyId:
    'the server does not know this access key; check AWS_ACCESS_KEY_ID, or the profile in AWS_PROFILE',
  SignatureDoesNotMatch: 'the secret key does not match the access key; check AWS_SECRET_ACCESS_KEY',
  ExpiredToken: 'the credentials have expired; get new ones',
  CredentialsProviderError:
    'credentials are missing; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or another source of the AWS SDK',
  AuthorizationHeaderMalformed: "AWS_REGION is not the bucket's region; set it to that region",
  PermanentRedirect: "AWS_REGION is not the bucket's region, or the server is wrong; set AWS_REGION or --s3-endpoint",
};

/** The SDK's message without a region; this error has no name of its own. */
const NO_REGION = 'Region is missing';

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'EPIPE']);

/**
 * Converts a failed request to S3 into one line that says what to do. UsageError: the address, the credentials or the region are
 * wrong. EnvironmentFault: S3 cannot be reached, or fails.
 */
export function s3Error(error: unknown, { url, endpoint, pathStyle }: S3Address): KnownError {
  if (error instanceof KnownError) return error;
  const { name = '', code } = (error ?? {}) as { name?: string; code?: string };
  const said = messageOf(error).split('\n')[0]!;
  const todo = USER_ERRORS[name] ?? (said === NO_REGION ? "set AWS_REGION to the bucket's region" : undefined);
  if (todo !== undefined) return new UsageError(`${url}: ${todo} (${said}).`);
  const where = endpoint ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL ?? 'AWS';
  if (NETWORK.has(code ?? '') || name === 'TimeoutError') {
    const style = pathStyle ? '' : '; some servers need --s3-path-style';
    return new EnvironmentFault(
      `${url}: ${where} cannot be reached (${said || code}); check the network and --s3-endpoint${style}.`,
    );
  }
  return new EnvironmentFault(`${url}: S3 at ${where} failed (${[name, said].filter(Boolean).join(': ')}).`);
}
