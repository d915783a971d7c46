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

// accelerators/quiet-sqlite/index.js
var Module = require("node:module");
var { setActive, setInactive } = require_status();
var NAME = "quiet-sqlite";
var { _load: load } = Module;
Module._load = function withoutVerbose(request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request !== "sqlite3") return loaded;
  if (typeof loaded?.verbose === "function") {
    loaded.verbose = () => loaded;
    setActive(NAME);
  } else setInactive(NAME, "sqlite3 has no verbose mode");
  if (Module._load === withoutVerbose) Module._load = load;
  return loaded;
};
