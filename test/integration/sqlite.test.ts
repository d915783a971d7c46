import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { cacheFolder } from '../../capacity/src/core/paths.js';
import { chart } from '../chart/render.js';

const runtime = join(cacheFolder, 'runtimes/n8n-2');

/** The error of a failed statement from sqlite3 of the pinned n8n, in the verbose mode that n8n uses. */
function runFailingStatement(options: string[]): { code: string; message: string; stack: string } {
  const program = `
    const { Database } = require('sqlite3').verbose();
    new Database(':memory:').run('INSERT INTO missing VALUES (?)', [1], ({ code, message, stack }) =>
      console.log(JSON.stringify({ code, message, stack })));`;
  const node = join(runtime, 'node_modules/node/bin/node');
  return JSON.parse(execFileSync(node, [...options, '-e', program], { cwd: runtime, encoding: 'utf8' })) as {
    code: string;
    message: string;
    stack: string;
  };
}

test('with the chart, an error of SQLite has its code and message, without the statement in its stack', () => {
  const asIs = runFailingStatement([]);
  const tuned = runFailingStatement(['--require', join(chart, 'files/hooks/quiet-sqlite.js')]);
  expect(asIs).toMatchObject({ code: 'SQLITE_ERROR', message: expect.stringContaining('no such table') as string });
  expect(tuned).toMatchObject({ code: asIs.code, message: asIs.message });
  expect(asIs.stack).toContain('--> in Database#run(');
  expect(tuned.stack).not.toContain('--> in');
});
