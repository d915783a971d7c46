const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Before all tests: what they put into the temporary folder goes into one of their own, which is removed at the end. */
module.exports = function begin() {
  // Short, because the path of a socket below it must not exceed 107 bytes.
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
