/*
 * The launcher, which PM2 runs as the script of each app. `n8n-capacity pm2` appends it to ecosystem.config.cjs.
 *
 * Three behaviours of n8n lose requests when `pm2 reload` replaces the processes of a cluster (source of 2.41.1). n8n listens
 * seconds before it serves webhooks. It closes idle connections when it ends. It mistakes the files of another running process
 * for traces of its own crash. Therefore each process of a cluster
 * - has its own folder, with the community nodes of main;
 * - listens only when n8n is ready, which PM2 waits for before it ends an old process;
 * - on SIGINT accepts no new connections, answers on open ones with "Connection: close", and sends n8n SIGTERM when none is
 *   left or after N8N_GRACEFUL_SHUTDOWN_TIMEOUT. Idle connections end after Node's 5 s.
 * A worker has its own folder and nodes too; main answers with "Connection: close" while it ends. Processes that take webhooks
 * limit concurrent requests as the chart does. Executions whose worker died keep their input.
 */
function launch() {
  const { isWorker: inCluster } = require('node:cluster');
  if (inCluster) folderOfThisProcess();
  // pm2-runtime passes its own arguments too, before these (PM2 7.0.4).
  if (inCluster) process.argv.splice(2, process.argv.lastIndexOf('webhook') - 2);
  if (process.env.N8N_PM2_NODES) copyNodes(process.env.N8N_PM2_NODES);
  // n8n loads its hooks later and gets this module's exports.
  process.env.EXTERNAL_HOOK_FILES = [__filename, process.env.EXTERNAL_HOOK_FILES].filter(Boolean).join(':');
  const { n8n, worker } = chartHooks();
  const ending = inCluster ? listenWhenReady() : closeAtTheEnd;
  module.exports = { n8n: { ready: [...n8n.ready, ending] }, worker };
  require(process.env.N8N_BIN);
}

/** A folder named by process id below N8N_USER_FOLDER; removed on exit, or by the next process if this one was killed. */
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

/** Delays listening until n8n is ready; returns n8n's `ready` hook. */
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
    // n8n's own handler would begin the shutdown at once; drain() sends SIGTERM, whose handler does the same later.
    process.removeAllListeners('SIGINT');
    process.once('SIGINT', () => {
      end();
      drain(server);
    });
    await listenNow();
  };
}

/** Closes connections when main ends. Main is alone on its port: callers that keep connections open would keep it from ending. */
function closeAtTheEnd({ server }) {
  process.prependListener('SIGINT', lastAnswers(server));
}

/** Returns a function after which every answer closes its connection, also those of requests in flight. */
function lastAnswers(server) {
  const open = new Set();
  let ending = false;
  const isLast = (response) => response.headersSent || response.setHeader('Connection', 'close');
  const onRequest = (_request, response) => {
    if (ending) return isLast(response);
    open.add(response);
    response.once('close', () => open.delete(response));
  };
  server.prependListener('request', onRequest);
  if (server.listenerCount('checkContinue') > 0) server.prependListener('checkContinue', onRequest);
  return () => {
    ending = true;
    open.forEach(isLast);
  };
}

/** Ends n8n when its last connection has closed. */
function drain(server) {
  // Not the HTTP server's own close, which would end idle connections on which a request may be arriving.
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
