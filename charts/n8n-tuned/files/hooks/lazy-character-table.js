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

// accelerators/lazy-character-table/index.js
var fs = require("node:fs");
var { createContext, Script } = require("node:vm");
var log = require_log();
var { setActive, setInactive } = require_status();
var NAME = "lazy-character-table";
var RUNTIME = /[\\/]expression-runtime[\\/]dist[\\/]bundle[\\/]runtime\.iife\.js$/;
var LOOP = /,(?<t>[\w$]+)=\{\};(?<loop>for\(let (?<i>[\w$]+)=0;\k<i><(?<l>[\w$]+)\.length;\k<i>\+\+\)for\(let (?<j>[\w$]+)=0;\k<j><\k<l>\[\k<i>\]\.length;\k<j>\+\+\)\{let (?<text>[\w$]+)=\k<l>\[\k<i>\]\[\k<j>\];if\(typeof \k<text>=="string"&&\k<text>\.length\)\{let (?<char>[\w$]+)=String\.fromCharCode\(\(\k<i><<8\)\+\k<j>\);\k<t>\[\k<char>\]=\k<text>\}\})/;
function withLazyTable(source) {
  const found = LOOP.exec(source);
  if (!found) return source;
  const { t, l, loop } = found.groups;
  const name = source.lastIndexOf(`${l}=[[`, found.index);
  const lists = source.slice(name + l.length + 1, found.index);
  if (name < 1 || /[\w$]/.test(source[name - 1]) || !isListOfLists(lists)) return source;
  const lazy = `${l}=0,${t}=(${lazyTable})(()=>${lists},(${t},${l})=>{${loop}},Reflect);`;
  const changed = source.slice(0, name) + lazy + source.slice(found.index + found[0].length);
  return runs(changed) ? changed : source;
}
var lazyTable = `(make,write,reflect)=>{let lists;const read=()=>lists??=make(),all=name=>(table,...rest)=>{write(table,read());return reflect[name](table,...rest)};return new Proxy({},{__proto__:null,has:all("has"),ownKeys:all("ownKeys"),getOwnPropertyDescriptor:all("getOwnPropertyDescriptor"),get(table,key,self){if(typeof key!=="string"||key.length!==1)return reflect.get(table,key,self);const code=key.charCodeAt(0),list=read()[code>>8];return list&&list[code&255]||undefined}})}`;
function isListOfLists(code) {
  const [lists, ...others] = result(`[${code}]`) ?? [];
  return others.length === 0 && Array.isArray(lists) && lists.every(Array.isArray);
}
var runs = (code) => result(`${code};true`) === true;
function result(code) {
  try {
    return new Script(code).runInContext(createContext({}));
  } catch {
    return void 0;
  }
}
var last = {};
function changeRuntime(file, content) {
  if (typeof content !== "string" || !RUNTIME.test(String(file))) return content;
  if (content !== last.content) {
    last = { content, changed: withLazyTable(content) };
    if (last.changed !== content) setActive(NAME);
    else {
      setInactive(NAME, "this n8n builds its isolates in another way");
      log.warn("expressionEngine.lazyCharacterTable: no effect, since this n8n builds its isolates in another way.");
    }
  }
  return last.changed;
}
function changeReads({ readFileSync, promises }) {
  const { readFile } = promises;
  fs.readFileSync = (file, ...rest) => changeRuntime(file, readFileSync(file, ...rest));
  promises.readFile = async (file, ...rest) => changeRuntime(file, await readFile(file, ...rest));
}
changeReads(fs);
module.exports = { withLazyTable };
