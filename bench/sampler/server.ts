/** Arguments: file, number of ports. Answers every request with the file, and sends the ports to its parent process. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [file = '', ports = '1'] = process.argv.slice(2);
const page = readFileSync(file);
const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'content-length': page.length };

const listening = Array.from({ length: Number(ports) }, () => {
  const server = createServer((_, response) => response.writeHead(200, headers).end(page));
  return new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
});
process.send!(await Promise.all(listening));
