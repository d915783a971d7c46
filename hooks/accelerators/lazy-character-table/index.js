'use strict';
/*
 * Isolates that are ready sooner. Node loads this file before n8n (NODE_OPTIONS), since n8n makes its first isolates before it loads
 * external hooks (read: 2.41.1, base-command.js).
 *
 * n8n evaluates the expressions of each execution in an isolate of its own, and runs a file of 480 kB in each (the runtime of
 * @n8n/expression-runtime). Most of that time goes into one table: the package transliteration writes 65,000 characters, which nothing
 * but the function replaceSpecialChars() reads. With this file the isolate looks a character up in the lists from which the table is
 * written, and makes these when the first one is looked up (npm run bench:isolates). What expressions return, and what separates them
 * from n8n, stays as it is.
 */
const fs = require('node:fs');
const { createContext, Script } = require('node:vm');
const log = require('../../lib/log.js');
const { setActive, setInactive } = require('../../lib/status.js');

const NAME = 'lazy-character-table';

const RUNTIME = /[\\/]expression-runtime[\\/]dist[\\/]bundle[\\/]runtime\.iife\.js$/;

/**
 * The statement that writes the table, as minifiers leave it: table `t` of characters from lists `l`. Run: it is in all 41 versions of
 * the runtime from 0.5.0 to 0.32.0, the one of n8n 2.41.
 */
const LOOP =
  /,(?<t>[\w$]+)=\{\};(?<loop>for\(let (?<i>[\w$]+)=0;\k<i><(?<l>[\w$]+)\.length;\k<i>\+\+\)for\(let (?<j>[\w$]+)=0;\k<j><\k<l>\[\k<i>\]\.length;\k<j>\+\+\)\{let (?<text>[\w$]+)=\k<l>\[\k<i>\]\[\k<j>\];if\(typeof \k<text>=="string"&&\k<text>\.length\)\{let (?<char>[\w$]+)=String\.fromCharCode\(\(\k<i><<8\)\+\k<j>\);\k<t>\[\k<char>\]=\k<text>\}\})/;

/**
 * The runtime without the table. Unchanged if it is not as expected.
 * @param source the runtime's code
 */
function withLazyTable(source) {
  const found = LOOP.exec(source);
  if (!found) return source;
  const { t, l, loop } = found.groups;
  const name = source.lastIndexOf(`${l}=[[`, found.index);
  const lists = source.slice(name + l.length + 1, found.index);
  if (name < 1 || /[\w$]/.test(source[name - 1]) || !isListOfLists(lists)) return source;
  // The name of the lists stays declared: later code lets go of them.
  const lazy = `${l}=0,${t}=(${lazyTable})(()=>${lists},(${t},${l})=>{${loop}},Reflect);`;
  const changed = source.slice(0, name) + lazy + source.slice(found.index + found[0].length);
  return runs(changed) ? changed : source;
}

/**
 * An object that has the table's characters, and all of them as its own where something else than one character is asked for. This is
 * code of the isolate. If a time-out ends it, the next one who asks starts again.
 */
const lazyTable = `(make,write,reflect)=>{let lists;const read=()=>lists??=make(),\
all=name=>(table,...rest)=>{write(table,read());return reflect[name](table,...rest)};\
return new Proxy({},{__proto__:null,has:all("has"),ownKeys:all("ownKeys"),getOwnPropertyDescriptor:all("getOwnPropertyDescriptor"),\
get(table,key,self){if(typeof key!=="string"||key.length!==1)return reflect.get(table,key,self);\
const code=key.charCodeAt(0),list=read()[code>>8];return list&&list[code&255]||undefined}})}`;

function isListOfLists(code) {
  const [lists, ...others] = result(`[${code}]`) ?? [];
  return others.length === 0 && Array.isArray(lists) && lists.every(Array.isArray);
}

const runs = (code) => result(`${code};true`) === true;

/** What code of the runtime returns, run here once; undefined if it fails. */
function result(code) {
  try {
    return new Script(code).runInContext(createContext({}));
  } catch {
    return undefined;
  }
}

let last = {};

/** The text of the runtime's file, changed; the content of every other file as it is. n8n before 2.40 reads it for each isolate. */
function changeRuntime(file, content) {
  if (typeof content !== 'string' || !RUNTIME.test(String(file))) return content;
  if (content !== last.content) {
    last = { content, changed: withLazyTable(content) };
    if (last.changed !== content) setActive(NAME);
    else {
      setInactive(NAME, 'this n8n builds its isolates in another way');
      log.warn('expressionEngine.lazyCharacterTable: no effect, since this n8n builds its isolates in another way.');
    }
  }
  return last.changed;
}

/** Changes what Node's functions give n8n when it reads the runtime: n8n 2.40 reads it synchronously, older versions do not. */
function changeReads({ readFileSync, promises }) {
  const { readFile } = promises;
  fs.readFileSync = (file, ...rest) => changeRuntime(file, readFileSync(file, ...rest));
  promises.readFile = async (file, ...rest) => changeRuntime(file, await readFile(file, ...rest));
}

changeReads(fs);

module.exports = { withLazyTable };
