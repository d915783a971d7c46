'use strict';
/* n8n's own modules, in the process that has loaded them. */
const { createRequire } = require('node:module');

const ACTIVE_EXECUTIONS = /[\\/]n8n[\\/]dist[\\/](active-executions|ActiveExecutions)\.js$/;

/**
 * Finds a module that n8n has loaded. Returns its path and its `require`, which loads n8n's other modules; undefined if this n8n has
 * no such module.
 */
function n8nModules() {
  const path = Object.keys(require.cache).find((file) => ACTIVE_EXECUTIONS.test(file));
  return path && { path, require: createRequire(path) };
}

/** n8n's dependency injection: typedi before it had its own. */
function containerOf(requireOfN8n) {
  try {
    return requireOfN8n('@n8n/di').Container;
  } catch {
    return requireOfN8n('typedi').Container;
  }
}

module.exports = { containerOf, n8nModules };
