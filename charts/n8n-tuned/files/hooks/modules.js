'use strict';
/* n8n's own modules, in the process that has loaded them. */
const { createRequire } = require('node:module');

const ACTIVE_EXECUTIONS = /[\\/]n8n[\\/]dist[\\/](active-executions|ActiveExecutions)\.js$/;

/** Where n8n has what writes executions to the database: 2.x, 1.x. */
const STORES = [
  ['./executions/execution-persistence', 'ExecutionPersistence'],
  ['@n8n/db', 'ExecutionRepository'],
];

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

/** What writes executions to the database. Throws where this n8n has none of those that are known. */
function executionStore(requireOfN8n) {
  const found = STORES.flatMap(([module, name]) => {
    try {
      return requireOfN8n(module)[name] ?? [];
    } catch {
      return [];
    }
  });
  return containerOf(requireOfN8n).get(found[0]);
}

module.exports = { containerOf, executionStore, n8nModules };
