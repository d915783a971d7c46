import getPort from 'get-port';
import type { IDataObject } from 'n8n-workflow';
import { credential, run } from '../../nodes/queue/execution.js';
import { startRedis, startServer, type Server } from '../../nodes/queue/servers.js';
import { cleanUpAtEnd, runForFailure, runForJson, STATS } from './support.js';

/** Tests that a failed read is reported within 5 s, without a password. */
export function testRefusals(): void {
  let server: Server;
  beforeAll(async () => void (server = await startRedis(['--requirepass', 'richtig'])));
  afterAll(() => server.stop());

  const password = 'geheim';
  const expectRefusal = async (fields: IDataObject, code: string, part = '') => {
    const failure = await runForFailure(fields);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(part);
    expect(failure.message).not.toMatch(/geheim|richtig/);
  };

  test('nothing listens on the port', async () => {
    const port = await getPort();
    await expectRefusal({ port, password }, 'refused', `Redis at localhost:${port}`);
    await expectRefusal({ clusterNodes: `127.0.0.1:${port}`, password }, 'refused', `Redis at 127.0.0.1:${port}`);
  });

  test('the host does not exist', async () => {
    await expectRefusal({ host: 'redis.invalid', password }, 'not-found', 'redis.invalid:6379');
    await expectRefusal({ clusterNodes: 'redis.invalid:6379', password }, 'not-found', 'redis.invalid:6379');
  });

  test('a server that never answers', async () => {
    const { port } = cleanUpAtEnd(await startServer(), (it) => it.stop());
    await expectRefusal({ port }, 'timeout');
    await expectRefusal({ port, password, tls: true }, 'timeout');
    await expectRefusal({ clusterNodes: `127.0.0.1:${port}`, password }, 'timeout');
  }, 20_000);

  test('a server that stops answering after the connection', async () => {
    const text = (request: string) => (/get|multi|exec|llen/.test(request) ? undefined : ':1\r\n'.repeat(9));
    const { port } = cleanUpAtEnd(await startServer(text), (it) => it.stop());
    await expectRefusal({ port }, 'timeout');
  }, 10_000);

  test('a server that is not Redis', async () => {
    const http = cleanUpAtEnd(await startServer(() => 'HTTP/1.1 400 Bad Request\r\n\r\n'), (it) => it.stop());
    await expectRefusal({ port: http.port, password }, 'no-redis');
  });

  test('a server whose error repeats the password', async () => {
    const answer = () => `-ERR unknown command 'auth', with args beginning with: '${password}'\r\n`;
    const { port } = cleanUpAtEnd(await startServer(answer), (it) => it.stop());
    await expectRefusal({ port, password }, 'other', "unknown command 'auth'");
  });

  test('a wrong or missing user and password', async () => {
    const { port } = server;
    await expectRefusal({ port }, 'authentication');
    await expectRefusal({ port, password }, 'authentication');
    await expectRefusal({ port, user: 'nobody', password: 'richtig' }, 'authentication');
    await expectRefusal({ clusterNodes: `127.0.0.1:${port}`, password }, 'authentication');
    expect(await runForJson({ port, password: 'richtig' }, STATS)).toHaveLength(1);
  });

  test('a database that does not exist', async () => {
    const at = `Redis at localhost:${server.port} (database 99)`;
    await expectRefusal({ port: server.port, password: 'richtig', database: 99 }, 'database', at);
    expect(await runForJson({ port: server.port, password: 'richtig', database: 9 }, STATS)).toHaveLength(1);
  });

  test('a single server that is addressed as a cluster', async () => {
    await expectRefusal({ clusterNodes: `127.0.0.1:${server.port}`, password: 'richtig' }, 'single-server');
  });

  test('many items of a server that does not answer take no longer than one', async () => {
    const { port } = cleanUpAtEnd(await startServer(), (it) => it.stop());
    const start = performance.now();
    const items = await run({
      parameters: Array.from({ length: 20 }, () => STATS),
      credential: credential({ port }),
      continueOnFail: true,
    });
    expect(items).toHaveLength(20);
    expect(performance.now() - start).toBeLessThan(5000);
  });
}
