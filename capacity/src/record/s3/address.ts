import { UsageError } from '../../core/errors.js';

/** Flags of the commands that record in S3, or read from it. */
export interface S3Options {
  s3Endpoint?: string;
  s3PathStyle?: boolean;
}

/** Where something is in S3. */
export interface S3Address {
  /** As it is written: `s3://bucket/prefix`. */
  url: string;
  bucket: string;
  /** Without a slash at its end; never empty. */
  prefix: string;
  /** Of a server other than AWS; absent: what AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or the SDK's files say, else AWS. */
  endpoint?: string;
  /** Whether the bucket is in the path of a request, and not in the name of its host. */
  pathStyle: boolean;
}

/** Whether a place is in S3, and no folder. */
export const isS3 = (place: string): boolean => /^s3:/i.test(place);

/** Reads `s3://bucket/prefix`. Throws UsageError. */
export function s3Address(url: string, { s3Endpoint, s3PathStyle = false }: S3Options): S3Address {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+?)\/*$/.exec(url) ?? [];
  const segments = prefix.split('/');
  if (bucket === '' || /[\0-\x1f\x7f]/.test(prefix) || segments.some((s) => s === '' || s === '.' || s === '..'))
    throw new UsageError(
      `${url}: is no place in S3; write s3://bucket/prefix, as in s3://measurements/n8n/2026-11-20, with a bucket's name in lower case and no empty part, "." or "..".`,
    );
  return {
    url: `s3://${bucket}/${prefix}`,
    bucket,
    prefix,
    pathStyle: s3PathStyle,
    ...(s3Endpoint !== undefined && { endpoint: endpointOf(s3Endpoint) }),
  };
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password)
    throw new UsageError(
      '--s3-endpoint: holds a user or a password; give the address alone: credentials are in the environment, or in the files of the AWS SDK.',
    );
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash)
    throw new UsageError(
      `--s3-endpoint: "${text}" is no address of a server; write it as in https://s3.example.org:9000.`,
    );
  return text;
}
