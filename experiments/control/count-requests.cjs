'use strict';
/**
 * Loaded by NODE_OPTIONS=--require. Counts the requests below /webhook/ that this process serves, in the file
 * $COUNT_FOLDER/<pid>. The file is created after the first request to any path.
 * https://nodejs.org/api/diagnostics_channel.html#http
 */
const { openSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const { subscribe } = require('node:diagnostics_channel');

const WRITE_MS = 500;

function countInto(folder) {
  let count = 0;
  let written;
  let file;
  let timer;

  // A count only grows, so the new text overwrites the old text completely.
  function write() {
    timer = undefined;
    if (count === written) return;
    written = count;
    file ??= openSync(join(folder, String(process.pid)), 'w');
    writeSync(file, String(count), 0);
  }

  subscribe('http.server.request.start', ({ request }) => {
    if (request.url.startsWith('/webhook/')) count += 1;
    timer ??= setTimeout(write, WRITE_MS).unref();
  });
  process.on('exit', () => count > 0 && write());
}

if (process.env.COUNT_FOLDER) countInto(process.env.COUNT_FOLDER);
