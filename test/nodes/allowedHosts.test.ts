import fc from 'fast-check';
import { readUrl, withoutQuery } from '../../nodes/LoadTarget/allowedHosts';
import { EnvironmentError } from '../../nodes/LoadTarget/ceilings/ceiling';
import { ParameterError } from '../../nodes/shared/parameters';
import { resetEnvironment } from './support/execution';

afterEach(resetEnvironment);

const read = (value: unknown) => readUrl('URL', value).href;

/** Message and description of the refusal of a URL. */
function catchRefusal(value: unknown): string {
  try {
    read(value);
  } catch (error) {
    if (error instanceof ParameterError && error.parameter === 'URL') return error.message;
  }
  throw new Error('not refused as a parameter');
}

test.each([
  ['http://127.0.0.1:5678/healthz', 'http://127.0.0.1:5678/healthz'],
  ['https://localhost', 'https://localhost/'],
  ['HTTP://LOCALHOST:80/A?b=c#d', 'http://localhost/A?b=c'],
  ['http://[::1]:5678/', 'http://[::1]:5678/'],
  ['http://[0:0:0:0:0:0:0:1]/', 'http://[::1]/'],
  ['http://2130706433/', 'http://127.0.0.1/'],
  ['http://0x7f.1/', 'http://127.0.0.1/'],
  ['http://127.0.0.1\\@evil.example/', 'http://127.0.0.1/@evil.example/'],
])('%s is this machine: %s', (value, href) => {
  expect(read(value)).toBe(href);
});

test.each([
  ['http://evil.example/', 'evil.example'],
  ['http://localhost.evil.example/', 'localhost.evil.example'],
  ['http://127.0.0.1.evil.example/', '127.0.0.1.evil.example'],
  ['http://evil.example/127.0.0.1', 'evil.example'],
  ['http://evil.example?127.0.0.1', 'evil.example'],
  ['http://evil.example#@127.0.0.1/', 'evil.example'],
  ['http://localhost./', 'localhost.'],
  ['http://0/', '0.0.0.0'],
  ['http://127.0.0.2/', '127.0.0.2'],
  ['http://[::ffff:127.0.0.1]/', '[::ffff:7f00:1]'],
  ['http://[::]/', '[::]'],
  ['http://169.254.169.254/latest/meta-data', '169.254.169.254'],
])('%s is refused: it leads to %s', (value, host) => {
  expect(catchRefusal(value)).toContain(host);
});

test('the error names the host, the hosts that are allowed and the variable, and not the query', () => {
  const message = catchRefusal('http://192.0.2.1:81/?key=secret');
  for (const part of ['192.0.2.1:81', '127.0.0.1, localhost, ::1', 'N8N_LOAD_TARGET_ALLOWED_HOSTS'])
    expect(message).toContain(part);
  expect(message).not.toContain('secret');
});

test.each(['http://127.0.0.1@evil.example/', 'http://user:pass@localhost/', 'http://user@localhost/'])(
  '%s is refused, and not shown',
  (value) => {
    expect(catchRefusal(value)).not.toMatch(/user:|user@|pass@|evil/);
  },
);

test.each([
  '',
  '//evil.example/',
  '127.0.0.1:5678/?token=secret',
  'ftp://bob:hunter2@localhost/',
  'localhost',
  'ftp://localhost/',
  'file:///etc/passwd',
  'javascript:1',
  'http://',
  5,
  null,
  undefined,
  {},
])('%j is refused, and not shown', (value) => {
  expect(catchRefusal(value)).not.toMatch(/secret|hunter2|passwd/);
});

test('refuses a URL of more than 2048 characters', () => {
  expect(catchRefusal(`http://localhost/${'a'.repeat(2048)}`)).toContain('2048');
});

describe('with an HTTP proxy, which would get the request instead of the host', () => {
  test.each([
    ['HTTP_PROXY', 'http://localhost:5678/'],
    ['http_proxy', 'http://localhost:5678/'],
    ['https_proxy', 'https://localhost/'],
    ['ALL_PROXY', 'https://[::1]/'],
  ])('%s: %s is refused', (variable, url) => {
    process.env[variable] = 'http://proxy.example:3128';
    expect(catchRefusal(url)).toContain('NO_PROXY');
    process.env.NO_PROXY = 'example.com, localhost,::1';
    expect(read(url)).toBe(url);
  });

  test('a proxy for another protocol does not matter', () => {
    process.env.https_proxy = 'http://proxy.example:3128';
    expect(read('http://localhost/')).toBe('http://localhost/');
  });
});

describe('N8N_LOAD_TARGET_ALLOWED_HOSTS', () => {
  const allow = (hosts: string) => {
    process.env.N8N_LOAD_TARGET_ALLOWED_HOSTS = hosts;
  };

  test.each([
    ['api.example', 'http://api.example:1234/'],
    ['API.example', 'http://api.example/'],
    [' a , api.example ', 'https://api.example/'],
    ['api.example:8080', 'http://api.example:8080/'],
    ['api.example:80', 'http://api.example/'],
    ['api.example:443', 'https://api.example/'],
    ['::1', 'http://[::1]:5678/'],
    ['[::1]:5678', 'http://[::1]:5678/'],
    ['my_service', 'http://my_service/'],
    ['', 'http://localhost/'],
  ])('%j allows %s', (hosts, value) => {
    allow(hosts);
    expect(read(value)).toBe(value);
  });

  test.each([
    ['api.example', 'http://localhost/'],
    ['api.example', 'http://sub.api.example/'],
    ['api.example:8080', 'http://api.example/'],
    ['api.example:80', 'https://api.example/'],
    ['[::1]:5678', 'http://[::1]/'],
  ])('%j does not allow %s', (hosts, value) => {
    allow(hosts);
    expect(catchRefusal(value)).toContain(hosts);
  });

  test.each([
    '*.example',
    '*',
    'http://api.example',
    'api.example/path',
    'user@api.example',
    'a,,b',
    '[::1',
    'a:b',
    '999.1.1.1',
  ])('%j is an error', (hosts) => {
    allow(hosts);
    expect(() => read('http://api.example/')).toThrow(EnvironmentError);
  });
});

test('every accepted text leads to an allowed host', () => {
  const part = fc.constantFrom(
    ...['http://', 'https:', '/', '\\', '@', ':', '#', '?', '.', '%2e', '127.0.0.1', 'localhost'],
  );
  const text = fc.array(
    fc.oneof(part, fc.constantFrom('[::1]', 'evil.example', '\t', '80', '１２７'), fc.string({ maxLength: 3 })),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        text.map((parts) => `http://${parts.join('')}`),
        fc.webUrl(),
        fc.jsonValue(),
      ),
      (value) => {
        let url: URL;
        try {
          url = readUrl('URL', value);
        } catch {
          return;
        }
        // Checked by the text, not by the same parser.
        expect(url.href).toMatch(/^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?[/?]/);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a URL is shown without its query', () => {
  expect(withoutQuery(new URL('https://localhost:1/path?key=secret#part'))).toBe('https://localhost:1/path');
});
