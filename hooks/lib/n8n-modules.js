'use strict';
/* n8n's own modules, in the process that has loaded them. */
const { createRequire } = require('node:module');

const ACTIVE_EXECUTIONS = /[\\/]n8n[\\/]dist[\\/](active-executions|ActiveExecutions)\.js$/;

/** n8n's modules and classes that write executions to the database. From 2.7 to 2.26 the first has only some of the methods. */
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

/** n8n's dependency injection container. Older versions use typedi. */
function containerOf(requireOfN8n) {
  try {
    return requireOfN8n('@n8n/di').Container;
  } catch {
    return requireOfN8n('typedi').Container;
  }
}

/** The n8n object that has this method to read or write executions; undefined if no known class has it. */
function executionStore(requireOfN8n, method) {
  const found = STORES.flatMap(([module, name]) => {
    try {
      return requireOfN8n(module)[name] ?? [];
    } catch {
      return [];
    }
  }).find((one) => typeof one.prototype[method] === 'function');
  return found && containerOf(requireOfN8n).get(found);
}

/** The version of this n8n; `unknown` if it is not found. */
function n8nVersion() {
  try {
    return n8nModules().require('../package.json').version;
  } catch {
    return 'unknown';
  }
}

/** Whether this n8n is at least version 2.`minor`. */
function isAtLeast2(minor, requireOfN8n) {
  const [major, ofMajor] = requireOfN8n('../package.json').version.split('.').map(Number);
  return major > 2 || (major === 2 && ofMajor >= minor);
}

/**
 * Like `n8nModules`, but throws.
 * @throws Error if this n8n has no such module
 */
function requireN8nModules() {
  const modules = n8nModules();
  if (!modules) throw new Error('this n8n has its parts elsewhere');
  return modules;
}

module.exports = { containerOf, executionStore, isAtLeast2, n8nModules, n8nVersion, requireN8nModules };
