'use strict';
const http = require('node:http');

const LOOPBACK = '127.0.0.1';
const MOST = 1e8;

/** Answers /webhook/noop with the process id. */
exports.noop = () => ({ status: 200, body: { pid: process.pid } });

/** Answers /webhook/count?n=N: counts to `n`, which blocks this process. */
exports.count = (text) => {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1 || n > MOST)
    return {
      status: 400,
      body: { error: `n is ${JSON.stringify(text)}; give a whole number from 1 to ${MOST}` },
    };
  let counted = 0;
  while (counted < n) counted += 1;
  return { status: 200, body: { pid: process.pid, n, counted } };
};

/** Serves on port $PORT of the loopback address until SIGTERM or SIGINT. */
exports.serve = (handler) => {
  const port = Number(process.env.PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    console.error(`PORT is ${JSON.stringify(process.env.PORT)}; give a port from 1 to 65535`);
    process.exit(1);
  }
  http.createServer(handler).listen(port, LOOPBACK);
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit());
};
