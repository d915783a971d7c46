/** Answers each load target's URL immediately with that load target's answer. Sends its port to its parent process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { truth } from '../../test/loadtests/truth.js';

const answers = new Map<string, Buffer>();
const server = createServer((request, response) => {
  const url = request.url ?? '';
  let answer = answers.get(url);
  if (!answer) answers.set(url, (answer = Buffer.from(JSON.stringify(truth(url)))));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
