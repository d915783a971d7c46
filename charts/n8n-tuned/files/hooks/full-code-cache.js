/* n8n-tuned: built from hooks/ by "npm run hooks". Change it there. */
"use strict";
var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};

// lib/log.js
var require_log = __commonJS({
  "lib/log.js"(exports2, module2) {
    "use strict";
    function format(level, message, env = process.env, now = /* @__PURE__ */ new Date()) {
      const text = `n8n-tuned: ${message}`;
      if (env.N8N_LOG_FORMAT !== "json") return text;
      return JSON.stringify({ level, message: text, timestamp: now.toISOString() });
    }
    var info = (message) => console.log(format("info", message));
    var warn = (message) => console.warn(format("warn", message));
    module2.exports = { format, info, warn };
  }
});

// lib/status.js
var require_status = __commonJS({
  "lib/status.js"(exports2, module2) {
    "use strict";
    var KEY = /* @__PURE__ */ Symbol.for("n8n-tuned.hooks");
    var statuses = () => globalThis[KEY] ??= /* @__PURE__ */ new Map();
    var setActive2 = (name) => statuses().set(name, { isActive: true });
    var setInactive2 = (name, reason) => statuses().set(name, { isActive: false, reason });
    module2.exports = { setActive: setActive2, setInactive: setInactive2, statuses };
  }
});

// accelerators/full-code-cache/index.js
var Module = require("node:module");
var log = require_log();
var { setActive, setInactive } = require_status();
var NAME = "full-code-cache";
var LONG = 1e5;
var TIMEOUT = { timeout: 1e3 };
var EXPRESSIONS = [
  "return this.$json.a",
  'return String(this.$json.b.c ?? 1) + this.$json["d"]',
  "return this.$json.list[0]",
  'return Number(this.$json.a) > 1 ? "x" : [{ a: new Date(0) }]',
  'return DateTime.fromISO("2026-01-30").plus({ days: 3 }).toFormat("yyyy-MM-dd")',
  "return this.$now.toISO() + this.$today.toISODate()",
  'return extend("a b", "toTitleCase", []) + extend([1, 2], "sum", []) + extend("a", "isEmpty", [])',
  'return this.$node["b"].json.a',
  "return this.$input.first().json.a"
];
var evaluated = (code) => `const context = buildContext({ getValueAtPath: $0, getArrayElement: $1, callHost: $2 }, "UTC");
  return __prepareForTransfer((function () { ${code} }).call(context));`;
var DATA = { a: 1, list: { __isArray: true, __length: 2 } };
var valueAt = (path) => DATA[path.at(-1)] ?? { __isObject: true, __keys: ["a", "b", "list"] };
var HOST = [valueAt, () => 1, () => ({ json: { a: 1 } })];
function makeCache({ Isolate, Callback }, runtime, failed = () => {
}) {
  const isolate = new Isolate({ memoryLimit: 128 });
  try {
    const context = isolate.createContextSync();
    context.global.setSync("global", context.global.derefInto());
    isolate.compileScriptSync(runtime).runSync(context, TIMEOUT);
    const host = HOST.map((each) => new Callback(each));
    for (const code of EXPRESSIONS)
      try {
        context.evalClosureSync(evaluated(code), host, { result: { copy: true }, ...TIMEOUT });
      } catch (error) {
        failed(error);
      }
    return isolate.compileScriptSync(runtime, { produceCachedData: true }).cachedData;
  } finally {
    isolate.dispose();
  }
}
function caches(ivm) {
  let last = {};
  return (code) => {
    if (typeof code !== "string" || code.length < LONG) return void 0;
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
function withCaches(ivm) {
  const cacheOf = caches(ivm);
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
  class OlderIsolate extends ivm.Isolate {
    async createContext(given) {
      const context = await super.createContext(given);
      const evaluate = async (code, ...rest) => {
        const cachedData = cacheOf(code);
        if (!cachedData) return await context.eval(code, ...rest);
        return await (await super.compileScript(code, { cachedData })).run(context);
      };
      return new Proxy(context, { get: (_, name) => name === "eval" ? evaluate : bound(context, name) });
    }
  }
  const value = process.env.N8N_EXPRESSION_ENGINE_COMPILE_CACHE ? Isolate : OlderIsolate;
  return Object.create(ivm, { Isolate: { value, enumerable: true } });
}
function bound(native, name) {
  const value = native[name];
  return typeof value === "function" ? value.bind(native) : value;
}
var { _load: load } = Module;
var changed;
Module._load = function withCodeCache(request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request !== "isolated-vm" || typeof loaded?.Isolate !== "function") return loaded;
  return changed ??= withCaches(loaded);
};
module.exports = { makeCache };
