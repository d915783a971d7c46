'use strict';
/*
 * Isolates whose code is compiled once. Node loads this file before n8n (NODE_OPTIONS), since n8n makes its first isolates before it
 * loads external hooks.
 *
 * n8n runs a file of 480 kB (the runtime of @n8n/expression-runtime) in the isolate of each execution. V8 compiles a function when it
 * is called first, so each isolate compiled most of them again: the code cache of n8n 2.40 and newer
 * (N8N_EXPRESSION_ENGINE_COMPILE_CACHE) is made before any is called, and older versions have none. This file makes a cache in an
 * isolate of its own, which has run the runtime and some expressions, and gives it to V8 with the same code in each other isolate. No
 * isolate runs anything else than without it, and none shares anything with another but compiled code of the runtime.
 * Run: 16 versions of the runtime from 0.9.1 to 0.32.0, the one of n8n 2.41.
 */
const Module = require('node:module');
const log = require('../../lib/log.js');
const { setActive, setInactive } = require('../../lib/status.js');

const NAME = 'full-code-cache';

/** Characters from which code of an isolate is taken for the runtime. Expressions are evaluated in another way. */
const LONG = 100_000;
const TIMEOUT = { timeout: 1000 };

/** Expressions as n8n hands them over, `this` being the context. They call what most expressions do. */
const EXPRESSIONS = [
  'return this.$json.a',
  'return String(this.$json.b.c ?? 1) + this.$json["d"]',
  'return this.$json.list[0]',
  'return Number(this.$json.a) > 1 ? "x" : [{ a: new Date(0) }]',
  'return DateTime.fromISO("2026-01-30").plus({ days: 3 }).toFormat("yyyy-MM-dd")',
  'return this.$now.toISO() + this.$today.toISODate()',
  'return extend("a b", "toTitleCase", []) + extend([1, 2], "sum", []) + extend("a", "isEmpty", [])',
  'return this.$node["b"].json.a',
  'return this.$input.first().json.a',
];
const evaluated = (code) =>
  `const context = buildContext({ getValueAtPath: $0, getArrayElement: $1, callHost: $2 }, "UTC");
  return __prepareForTransfer((function () { ${code} }).call(context));`;

/** What n8n's data look like to an isolate: an object in each object, a list, and a value at "a". */
const DATA = { a: 1, list: { __isArray: true, __length: 2 } };
const valueAt = (path) => DATA[path.at(-1)] ?? { __isObject: true, __keys: ['a', 'b', 'list'] };
const HOST = [valueAt, () => 1, () => ({ json: { a: 1 } })];

/**
 * The cache that V8 makes of a runtime once an isolate, which ends then, has run it. A failing expression is passed to
 * `failed` and skipped: its functions are then compiled in each isolate, as without this file.
 */
function makeCache({ Isolate, Callback }, runtime, failed = () => {}) {
  const isolate = new Isolate({ memoryLimit: 128 });
  try {
    const context = isolate.createContextSync();
    context.global.setSync('global', context.global.derefInto());
    isolate.compileScriptSync(runtime).runSync(context, TIMEOUT);
    const host = HOST.map((each) => new Callback(each));
    for (const code of EXPRESSIONS)
      try {
        context.evalClosureSync(evaluated(code), host, { result: { copy: true }, ...TIMEOUT });
      } catch (error) {
        failed(error);
      }
    // V8 still has the script, with each function that was called.
    return isolate.compileScriptSync(runtime, { produceCachedData: true }).cachedData;
  } finally {
    isolate.dispose();
  }
}

/** A function that returns the cache of a runtime; undefined for other code, and where none can be made. */
function caches(ivm) {
  let last = {};
  return (code) => {
    if (typeof code !== 'string' || code.length < LONG) return undefined;
    if (code !== last.code) {
      last = { code };
      try {
        last.cachedData = makeCache(ivm, code);
        setActive(NAME);
      } catch (error) {
        setInactive(NAME, error.message);
        log.warn(`expressionEngine.fullCodeCache: each isolate compiles all that it runs, since ${error.message}`);
      }
    }
    return last.cachedData;
  };
}

/** The package isolated-vm, whose isolates compile a runtime with its cache. Its own classes and objects cannot be changed. */
function withCaches(ivm) {
  const cacheOf = caches(ivm);

  /** n8n 2.40 and newer asks V8 for a cache, or has one. */
  function options(code, given) {
    const cachedData = (given?.produceCachedData || given?.cachedData) && cacheOf(code);
    return cachedData ? { ...given, produceCachedData: false, cachedData } : given;
  }
  class Isolate extends ivm.Isolate {
    compileScript(code, given) {
      return super.compileScript(code, options(code, given));
    }
    compileScriptSync(code, given) {
      return super.compileScriptSync(code, options(code, given));
    }
  }

  /** Older versions evaluate the runtime in a context, as they do other code. */
  class OlderIsolate extends ivm.Isolate {
    async createContext(given) {
      const context = await super.createContext(given);
      const evaluate = async (code, ...rest) => {
        const cachedData = cacheOf(code);
        if (!cachedData) return await context.eval(code, ...rest);
        return await (await super.compileScript(code, { cachedData })).run(context);
      };
      return new Proxy(context, { get: (_, name) => (name === 'eval' ? evaluate : bound(context, name)) });
    }
  }
  const value = process.env.N8N_EXPRESSION_ENGINE_COMPILE_CACHE ? Isolate : OlderIsolate;
  return Object.create(ivm, { Isolate: { value, enumerable: true } });
}

/** A property of a native object, whose methods want that object. */
function bound(native, name) {
  const value = native[name];
  return typeof value === 'function' ? value.bind(native) : value;
}

const { _load: load } = Module;
let changed;

Module._load = function withCodeCache(request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request !== 'isolated-vm' || typeof loaded?.Isolate !== 'function') return loaded;
  return (changed ??= withCaches(loaded));
};

module.exports = { makeCache };
