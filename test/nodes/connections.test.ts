import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { credential, run } from './queue/execution';

/** Tests several items with a Redis that drops connections. */

const WORKERS = { operation: 'workers' };

/** A server that answers like a Redis in which the queue exists and no worker is connected. */
async function startServer(): Promise<{
  server: Server;
  port: number;
  connections: Socket[];
  /** Called at each CLIENT LIST; true drops the connection. */
  drops: jest.Mock<boolean, []>;
}> {
  const connections: Socket[] = [];
  const drops = jest.fn(() => false);
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const commands = String(data).split(/^\*\d+\r\n/m);
      for (const command of commands.slice(1)) {
        const isList = /^list\r$/im.test(command);
        if (isList && drops()) return socket.destroy();
        socket.write(isList ? '+none\r\n' : ':1\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, connections, drops };
}

const outcomes = (port: number, items: number) =>
  run({
    parameters: Array.from({ length: items }, () => WORKERS),
    credential: credential({ host: '127.0.0.1', port }),
    continueOnFail: true,
  }).then((output) => output.map(({ json, pairedItem }) => [json.error ?? json.workers, pairedItem]));
const outcome = (what: unknown, item: number) => [what, { item }];
const LOST = expect.stringContaining('was lost');
const REFUSED = expect.stringContaining('refused the connection');

test('a connection that is lost for one item is replaced for the next, and shared again', async () => {
  const { server, port, connections, drops } = await startServer();
  try {
    drops.mockReturnValueOnce(false).mockReturnValueOnce(true);
    expect(await outcomes(port, 4)).toEqual([outcome(0, 0), outcome(LOST, 1), outcome(0, 2), outcome(0, 3)]);
    expect(connections).toHaveLength(2);
  } finally {
    server.close();
  }
});

test('each item opens at most one connection', async () => {
  const { server, port, connections, drops } = await startServer();
  try {
    drops.mockReturnValue(true);
    expect(await outcomes(port, 3)).toEqual([outcome(LOST, 0), outcome(LOST, 1), outcome(LOST, 2)]);
    expect(connections).toHaveLength(3);
  } finally {
    server.close();
  }
});

test('if Redis goes away, the later items fail with the reason of their own attempt', async () => {
  const { server, port, drops } = await startServer();
  drops.mockImplementation(() => {
    server.close();
    return true;
  });
  expect(await outcomes(port, 3)).toEqual([outcome(LOST, 0), outcome(REFUSED, 1), outcome(REFUSED, 2)]);
});
