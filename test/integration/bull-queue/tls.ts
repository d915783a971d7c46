import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { makeCertificates, startRedis, type Server } from '../../nodes/queue/servers.js';
import { cleanUpAtEnd, runForFailure, runForJson, STATS } from './support.js';

/** TLS. */
export function testTls(): void {
  let folder: string;
  let server: Server;
  let plain: Server;
  let ca: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-tls-'));
    const files = makeCertificates(folder);
    ca = readFileSync(files.ca, 'utf8');
    const port = await getPort();
    const certificate = ['--tls-cert-file', files.cert, '--tls-key-file', files.key, '--tls-ca-cert-file', files.ca];
    server = await startRedis(
      ['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no', ...certificate],
      port,
    );
    plain = await startRedis();
  });
  afterAll(async () => {
    await Promise.all([server.stop(), plain.stop()]);
    rmSync(folder, { recursive: true });
  });

  test('the node connects with the CA certificate', async () => {
    const { port } = server;
    expect(await runForJson({ port, tls: true, ca }, STATS)).toEqual([expect.objectContaining({ exists: false })]);
    expect(await runForJson({ host: '127.0.0.1', port, tls: true, ca }, STATS)).toHaveLength(1);
    expect(await runForJson({ port, tls: true, ca, serverName: 'localhost' }, STATS)).toHaveLength(1);
    expect(await runForFailure({ port, tls: true, ca, serverName: 'redis.example.com' })).toMatchObject({
      code: 'certificate',
    });
  });

  test.each([
    ['no CA certificate', () => ({ tls: true }), { code: 'certificate' }],
    [
      'no PEM',
      () => ({ tls: true, ca: '-----BEGIN CERTIFICATE-----\nnope\n-----END CERTIFICATE-----' }),
      { parameter: 'CA Certificate of the credential' },
    ],
    ['no TLS', () => ({}), { message: expect.stringContaining('switch TLS on') }],
  ])('%s', async (_, fields, expected) => {
    const failure = await runForFailure({ port: server.port, ...fields() });
    expect(failure).toMatchObject(expected);
  });

  test('the node refuses a server of another CA', async () => {
    const other = mkdtempSync(join(tmpdir(), 'n8n-tuned-tls-'));
    cleanUpAtEnd(other, (it) => rmSync(it, { recursive: true }));
    const fields = { port: server.port, tls: true, ca: readFileSync(makeCertificates(other).ca, 'utf8') };
    expect((await runForFailure(fields)).code).toBe('certificate');
  });

  test('TLS with a server that does not speak TLS', async () => {
    const failure = await runForFailure({ port: plain.port, tls: true, ca });
    expect(failure.message).toContain('switch TLS off');
  }, 10_000);
}
