'use strict';
/*
 * SQLite without notes for stack traces. Node loads this file before n8n (NODE_OPTIONS), since n8n opens its database before it loads
 * external hooks.
 *
 * n8n turns on the verbose mode of sqlite3 (read: @n8n/typeorm, SqliteLibrary.js and SqliteDriver.js). Each statement then makes an
 * Error and formats what it was given, in case that it fails (read: sqlite3, lib/trace.js). Without it the stack of a failed statement
 * lacks the lines from "--> in Database#run(...)" on. Codes and messages of errors are the same.
 */
const Module = require('node:module');
const { setActive, setInactive } = require('../../lib/status.js');

const NAME = 'quiet-sqlite';

const { _load: load } = Module;

/** Node's function that loads a module, until it has loaded sqlite3. */
Module._load = function withoutVerbose(request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request !== 'sqlite3') return loaded;
  if (typeof loaded?.verbose === 'function') {
    loaded.verbose = () => loaded;
    setActive(NAME);
  } else setInactive(NAME, 'sqlite3 has no verbose mode');
  if (Module._load === withoutVerbose) Module._load = load;
  return loaded;
};
