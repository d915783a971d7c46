'use strict';
/*
 * Refuses requests while n8n starts. n8n has routes, and executes, before its `ready` hook puts the admission in front of them (read:
 * 2.41.1, abstract-server.js). After a crash, main recovers executions in between, which takes 10 s and more. The requests of that time
 * filled its memory: main was OOM-killed in three of three runs at 11/s of executions of 3 s (faults --profile small). In a cluster a
 * Service sends nothing to a pod that is not ready.
 */
const http = require('node:http');
const https = require('node:https');
const { refuse } = require('../../lib/http.js');
const { productionPaths } = require('../../lib/paths.js');

/** Seconds of Retry-After (chosen). */
const RETRY = 5;
/** Milliseconds after the first refusal at which it ends, though n8n has not called its hook: no hook keeps n8n from working. */
const LATEST = 600_000;

/**
 * Answers 503 to requests to production paths, of any server of this process, until the function that it returns is called.
 * @param servers classes of servers
 */
function refuseUntilReady(servers = [http.Server, https.Server]) {
  const kindOf = productionPaths(process.env);
  let [isReady, timer] = [false, undefined];
  const undo = servers.map(({ prototype }) => {
    const own = Object.getOwnPropertyDescriptor(prototype, 'emit');
    const { emit } = prototype;
    const emitOrRefuse = function (event, ...args) {
      const [request, response] = args;
      const isRequest = event === 'request' || event === 'checkContinue';
      if (isReady || !isRequest || !kindOf(request.url) || request.method === 'OPTIONS')
        return emit.call(this, event, ...args);
      timer ??= setTimeout(end, LATEST).unref();
      refuse(request, response, { seconds: RETRY, closes: true, message: 'n8n is starting.' });
      return true;
    };
    prototype.emit = emitOrRefuse;
    return () => {
      // Tracing changes it, too, and may have done so since then.
      if (prototype.emit !== emitOrRefuse) return;
      if (own) Object.defineProperty(prototype, 'emit', own);
      else delete prototype.emit;
    };
  });
  function end() {
    isReady = true;
    clearTimeout(timer);
    undo.forEach((each) => each());
  }
  return end;
}

let endRefusals;

module.exports = {
  name: 'refuse-while-starting',
  isOn: (env) => env.N8N_TUNED_REFUSE_WHILE_STARTING === 'true',
  load() {
    endRefusals = refuseUntilReady();
  },
  /** What is in front of n8n now has bound before. */
  bind() {
    endRefusals();
  },
  otherwise: 'n8n takes requests before it has started.',
  refuseUntilReady,
};
