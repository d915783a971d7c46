'use strict';
/**
 * NODE_OPTIONS=--require: counts the requests below /webhook/ that this process serves, in the file $COUNT_FOLDER/<pid>,
 * which a server has from its first request of any path on.
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

  // A count only grows: written over the one before, it leaves nothing of it, and a reader never sees it half gone.
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
