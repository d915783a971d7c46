/*
 * What PM2 runs of this file. n8n-capacity pm2 puts it at the end of ecosystem.config.cjs, so that there is one file.
 *
 * n8n listens when it begins to start and serves webhooks seconds later, closes idle connections when it ends, and takes a
 * file of another process that runs for a trace of its own crash (read: 2.41.1). In a cluster that `pm2 reload` renews, each
 * of these loses requests. So a process of a cluster
 * - has a folder of its own, with the community nodes that main has;
 * - listens when n8n is ready, which is what PM2 waits for before it ends an old process;
 * - on SIGINT takes no further connection, answers those that are open with "Connection: close", and hands SIGTERM to n8n when
 *   none is left, or after N8N_GRACEFUL_SHUTDOWN_TIMEOUT. Idle ones end after Node's 5 s.
 * A worker has a folder and the nodes, too, and main says "Connection: close" while it ends.
 */
function launch() {
  const { isWorker: inCluster } = require('node:cluster');
  if (inCluster) folderOfThisProcess();
  // pm2-runtime hands its own arguments on, before these (PM2 7.0.4).
  if (inCluster) process.argv.splice(2, process.argv.lastIndexOf('webhook') - 2);
  if (process.env.N8N_PM2_NODES) copyNodes(process.env.N8N_PM2_NODES);
  // n8n loads its hooks later: it gets this module's exports then.
  process.env.EXTERNAL_HOOK_FILES = [__filename, process.env.EXTERNAL_HOOK_FILES].filter(Boolean).join(':');
  module.exports = { n8n: { ready: [inCluster ? listenWhenReady() : closeAtTheEnd] } };
  require(process.env.N8N_BIN);
}

/** Below N8N_USER_FOLDER, by process id; removed at the end, and by the next one where this one was killed. */
function folderOfThisProcess() {
  const { mkdirSync, readdirSync, rmSync } = require('node:fs');
  const parent = process.env.N8N_USER_FOLDER;
  const remove = (pid) => rmSync(join(parent, String(pid)), { recursive: true, force: true });
  mkdirSync(join(parent, String(process.pid)), { recursive: true });
  for (const pid of readdirSync(parent)) if (!isAlive(Number(pid))) remove(pid);
  process.env.N8N_USER_FOLDER = join(parent, String(process.pid));
  process.on('exit', () => remove(process.pid));
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function copyNodes(from) {
  const { cpSync, existsSync, rmSync } = require('node:fs');
  const to = join(process.env.N8N_USER_FOLDER, '.n8n', 'nodes');
  rmSync(to, { recursive: true, force: true });
  if (existsSync(from)) cpSync(from, to, { recursive: true });
}

/** Keeps n8n from listening; what it returns is n8n's hook for when it is ready. */
function listenWhenReady() {
  const { Server } = require('node:net');
  const listen = Server.prototype.listen;
  let listenNow;
  Server.prototype.listen = function (port, address, callback) {
    if (listenNow || String(port) !== process.env.N8N_PORT) return listen.apply(this, arguments);
    listenNow = () => new Promise((resolve) => listen.call(this, port, address, resolve));
    setImmediate(callback);
    return this;
  };
  return async ({ server }) => {
    const end = lastAnswers(server);
    // n8n's own handler is for processes that nobody calls; that of SIGTERM does the same.
    process.removeAllListeners('SIGINT');
    process.once('SIGINT', () => {
      end();
      drain(server);
    });
    await listenNow();
  };
}

/** Main, alone on its port: callers that keep their connections would keep n8n from ending. */
function closeAtTheEnd({ server }) {
  process.prependListener('SIGINT', lastAnswers(server));
}

/** What makes every answer from then on the last on its connection, also of requests that are under way. */
function lastAnswers(server) {
  const open = new Set();
  let ending = false;
  const isLast = (response) => response.headersSent || response.setHeader('Connection', 'close');
  server.prependListener('request', (_request, response) => {
    if (ending) return isLast(response);
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return () => {
    ending = true;
    open.forEach(isLast);
  };
}

/** Ends n8n when its last connection is closed. */
function drain(server) {
  // Not the HTTP server's own, which would end idle connections while a request is on its way.
  require('node:net').Server.prototype.close.call(server);
  server.close = (done) => done?.();
  const end = Date.now() + 1000 * Number(process.env.N8N_GRACEFUL_SHUTDOWN_TIMEOUT ?? 30);
  const look = () =>
    server.getConnections((_error, count) => {
      if (count > 0 && Date.now() < end) return setTimeout(look, 100);
      process.kill(process.pid, 'SIGTERM');
    });
  look();
}
