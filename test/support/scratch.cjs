const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Jest's global setup: gives the tests their own temporary folder, which is removed at the end. */
module.exports = function begin() {
  // The name is short because the path of a socket below it must not exceed 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), 't-'));
  process.env.TMPDIR = folder;
  const end = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      end();
      process.kill(process.pid, signal);
    });
};
