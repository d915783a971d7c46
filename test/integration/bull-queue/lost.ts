import Bull from 'bull';
import getPort from 'get-port';
import { QueueWatch } from '../../../capacity/src/observe/queue.js';
import { startRedis, startServer } from '../../nodes/queue/servers.js';
import { addJob, cleanUpAtEnd, drainParameters, runForFailure, sleep } from './support.js';

/** Tests with a Redis that stops and comes back. */
export function testLost(): void {
  test('a Redis that stays away until the timeout is an error', async () => {
    const own = await startRedis();
    const queue = new Bull('jobs', { redis: { port: own.port } });
    queue.on('error', () => {});
    await addJob(queue, '1');
    await queue.close(true);
    const waiting = runForFailure({ port: own.port }, drainParameters(3));
    await sleep(500);
    await own.stop();
    const { code, message } = await waiting;
    expect(code).toBe('refused');
    expect(message).toContain(`localhost:${own.port}`);
  });

  test('a Redis that comes back without its data is an error, not a drained queue', async () => {
    const port = await getPort();
    const own = await startRedis([], port);
    const queue = new Bull('jobs', { redis: { port } });
    queue.on('error', () => {});
    await addJob(queue, '1');
    await queue.close(true);
    const waiting = runForFailure({ port }, drainParameters(20));
    await sleep(500);
    await own.stop();
    cleanUpAtEnd(await startRedis([], port), (it) => it.stop());
    expect(await waiting).toMatchObject({ code: 'lost', message: expect.stringContaining('lost the queue') });
  });

  test('QueueWatch of n8n-capacity reads nothing while Redis is away, and continues when it is back', async () => {
    const port = await getPort();
    const watch = cleanUpAtEnd(new QueueWatch({ host: '127.0.0.1', port }), (it) => it.close());
    expect(await watch.look()).toBeUndefined();
    const looked = (waiting: number) => ({ waiting, active: 0, added: waiting, commands: expect.any(Number) });
    const own = cleanUpAtEnd(await startRedis([], port), (it) => it.stop());
    expect(await watch.look()).toEqual(looked(0));
    const queue = new Bull('jobs', { redis: { port } });
    await addJob(queue, '1');
    await queue.close(true);
    expect(await watch.look()).toEqual(looked(1));
    await own.stop();
    expect(await watch.look()).toBeUndefined();
    cleanUpAtEnd(await startRedis([], port), (it) => it.stop());
    expect(await watch.look()).toEqual(looked(0));
    const quiet = cleanUpAtEnd(await startServer(), (it) => it.stop());
    const start = performance.now();
    expect(await new QueueWatch({ host: '127.0.0.1', port: quiet.port }).look()).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(1000);
  });
}
