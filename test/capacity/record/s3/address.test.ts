import { s3Address } from '../../../../capacity/src/record/s3/address.js';
import { expectRefused } from '../../plan/refused.js';

test.each([
  ['s3://me:hunter2@bucket/run', undefined],
  ['s3://runs/a', 'me:hunter2@s3.example.org:9000'],
  ['s3://runs/a', 'https://me:hunter2@s3.example.org:9000'],
])('%s at %s is refused, and no secret is shown', (url, s3Endpoint) => {
  const read = () => s3Address(url, { ...(s3Endpoint !== undefined && { s3Endpoint }) });
  expectRefused(read, [s3Endpoint === undefined ? 'is not a place in S3' : '--s3-endpoint']);
  expect(read).not.toThrow('hunter2');
});
