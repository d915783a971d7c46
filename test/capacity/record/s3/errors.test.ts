import { EnvironmentFault, UsageError } from '../../../../capacity/src/core/errors.js';
import { s3Address } from '../../../../capacity/src/record/s3/address.js';
import { s3Error } from '../../../../capacity/src/record/s3/errors.js';

const ADDRESS = s3Address('s3://measurements/n8n', { s3Endpoint: 'https://s3.example.org:9000' });

/** As the SDK throws them: a name, or a code of the network. */
const thrown = (name: string, message: string, code?: string) =>
  Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });

test.each([
  ['a bucket that does not exist', thrown('NoSuchBucket', 'The bucket does not exist')],
  ['credentials that may not', thrown('AccessDenied', 'Access Denied')],
  ['no credentials', thrown('CredentialsProviderError', 'Could not load credentials from any providers')],
  ['a wrong region', thrown('PermanentRedirect', 'The bucket is in another region')],
  ['no region', thrown('Error', 'Region is missing')],
])('%s is an error of the user', (_, error) => {
  const told = s3Error(error, ADDRESS);
  expect(told).toBeInstanceOf(UsageError);
  for (const fact of ['s3://measurements/n8n', error.message]) expect(told.message).toContain(fact);
});

test.each([
  ['a server that refuses connections', thrown('Error', '', 'ECONNREFUSED'), 'ECONNREFUSED'],
  ['a name that is not known', thrown('Error', 'getaddrinfo ENOTFOUND', 'ENOTFOUND'), 'ENOTFOUND'],
  ['a server that does not answer', thrown('TimeoutError', 'socket timed out'), 'socket timed out'],
  ['a server that fails', thrown('InternalError', 'We encountered an internal error'), 'InternalError'],
  ['anything else', 'broken', 'broken'],
])('%s is a fault of the environment', (_, error, fact) => {
  const told = s3Error(error, ADDRESS);
  expect(told).toBeInstanceOf(EnvironmentFault);
  for (const each of ['s3://measurements/n8n', 'https://s3.example.org:9000', fact])
    expect(told.message).toContain(each);
});

test('an error that says what to do stays as it is', () => {
  const error = new UsageError('holds "..", which is not a file name');
  expect(s3Error(error, ADDRESS)).toBe(error);
});
