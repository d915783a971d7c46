import { UsageError } from '../../core/errors.js';
import { HIDDEN, withoutSecrets } from '../../plan/redact.js';

/** Flags of the commands that write to S3 or read from it. */
export interface S3Options {
  s3Endpoint?: string;
  s3PathStyle?: boolean;
}

/** A place in S3. */
export interface S3Address {
  /** As `s3://bucket/prefix`. */
  url: string;
  bucket: string;
  /** Without a trailing slash; never empty. */
  prefix: string;
  /** Of a server other than AWS; undefined: from AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or the SDK's files, else AWS. */
  endpoint?: string;
  /** Whether requests name the bucket in the path instead of the host name. */
  pathStyle: boolean;
}

/** Whether a place is in S3 rather than a folder. */
export const isS3 = (place: string): boolean => /^s3:/i.test(place);

/**
 * Parses `s3://bucket/prefix`.
 * @throws UsageError if it is not a place in S3, or the endpoint is not a server's address
 */
export function s3Address(url: string, { s3Endpoint, s3PathStyle = false }: S3Options): S3Address {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+?)\/*$/.exec(url) ?? [];
  const segments = prefix.split('/');
  if (bucket === '' || /[\0-\x1f\x7f]/.test(prefix) || segments.some((s) => s === '' || s === '.' || s === '..'))
    throw new UsageError(
      `${withoutSecrets(url, HIDDEN)}: is not a place in S3; write s3://bucket/prefix, such as s3://measurements/n8n/2026-11-20, with the bucket in lower case and without empty, "." or ".." parts.`,
    );
  return {
    url: `s3://${bucket}/${prefix}`,
    bucket,
    prefix,
    pathStyle: s3PathStyle,
    ...(s3Endpoint !== undefined && { endpoint: readEndpoint(s3Endpoint) }),
  };
}

function readEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password)
    throw new UsageError(
      '--s3-endpoint: must not hold a user or password; give the credentials in the environment or in the files of the AWS SDK.',
    );
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash)
    throw new UsageError(
      `--s3-endpoint: "${withoutSecrets(text, HIDDEN)}" is not a server's address; write it like https://s3.example.org:9000.`,
    );
  return text;
}
