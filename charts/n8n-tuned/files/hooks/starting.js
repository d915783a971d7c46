'use strict';
/*
 * Refuses requests while n8n starts. n8n has routes, and executes, before its `ready` hook puts the admission in front of them (read:
 * 2.41.1, abstract-server.js). After a crash, main recovers executions in between, which takes 10 s and more. The requests of that time
 * filled its memory: main was OOM-killed in three of three runs at 11/s of executions of 3 s (faults --profile small). In a cluster a
 * Service sends nothing to a pod that is not ready.
 */
const http = require('node:http');
const https = require('node:https');
const { productionPaths, refuse } = require('./http.js');

/** Seconds of Retry-After (chosen). */
const RETRY = 5;

/**
 * Answers 503 to requests to production paths, of any server of this process, until the function that it returns is called.
 * @param servers classes of servers
 */
function refuseUntilReady(servers = [http.Server, https.Server]) {
  const kindOf = productionPaths(process.env);
  let isReady = false;
  const undo = servers.map(({ prototype }) => {
    const own = Object.getOwnPropertyDescriptor(prototype, 'emit');
    const { emit } = prototype;
    const emitOrRefuse = function (event, ...args) {
      const [request, response] = args;
      const isRequest = event === 'request' || event === 'checkContinue';
      if (isReady || !isRequest || !kindOf(request.url) || request.method === 'OPTIONS')
        return emit.call(this, event, ...args);
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
  return () => {
    isReady = true;
    undo.forEach((each) => each());
  };
}

module.exports = { refuseUntilReady };
