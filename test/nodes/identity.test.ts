import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectComponent, measureIdentity, findN8nVersion } from '../../nodes/LoadTarget/identity';

test.each([
  ['n8n', 'main'],
  ['n8n start', 'main'],
  ['n8n start --tunnel', 'main'],
  ['n8n --tunnel', 'main'],
  ['n8n worker --concurrency=10', 'worker'],
  ['n8n webhook', 'webhook'],
  ['n8n execute --id=1', 'unknown'],
  ['dist/WorkflowRunnerProcess.js', 'own-child'],
  ['jest.js', 'unknown'],
])('node …/%s is %s', (command, component) => {
  const [script = '', ...rest] = command.split(' ');
  expect(detectComponent(['/usr/bin/node', `/usr/lib/node_modules/n8n/bin/${script}`, ...rest])).toBe(component);
});

test('the component is unknown without a script', () => {
  expect(detectComponent(['/usr/bin/node'])).toBe('unknown');
});

describe('the version of n8n', () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-identity-'));
  const bin = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');

  beforeAll(() => {
    mkdirSync(join(folder, 'node_modules', 'n8n', 'bin'), { recursive: true });
    writeFileSync(bin, '');
    writeFileSync(join(folder, 'node_modules', 'n8n', 'package.json'), '{"name":"n8n","version":"2.41.1"}');
    writeFileSync(join(folder, 'package.json'), '{"name":"other","version":"9.9.9"}');
    symlinkSync(bin, join(folder, 'n8n'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is that of the package that holds the script, also through a link', () => {
    expect(findN8nVersion(bin)).toBe('2.41.1');
    expect(findN8nVersion(join(folder, 'n8n'))).toBe('2.41.1');
    expect(findN8nVersion(undefined, bin)).toBe('2.41.1');
  });

  test('is unknown where no n8n is found', () => {
    expect(findN8nVersion(join(folder, 'package.json'))).toBe('unknown');
    expect(findN8nVersion(join(folder, 'missing'), undefined)).toBe('unknown');
  });
});

test('an identity is complete', async () => {
  expect(await measureIdentity()).toEqual({
    host: hostname(),
    pid: process.pid,
    component: 'unknown',
    n8nVersion: expect.any(String),
    nodeVersion: process.versions.node,
    heapUsedBytes: expect.any(Number),
    heapLimitBytes: expect.any(Number),
    rssBytes: expect.any(Number),
    eventLoopLagMs: expect.any(Number),
  });
});
