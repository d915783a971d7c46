'use strict';
/*
 * Isolates that are ready sooner. Node loads this file before n8n (NODE_OPTIONS), since n8n makes its first isolates before it loads
 * external hooks (read: 2.41.1, base-command.js).
 *
 * n8n evaluates the expressions of each execution in an isolate of its own, and runs a file of 480 kB in each (the runtime of
 * @n8n/expression-runtime). Most of that time goes into one table: the package transliteration writes 65,000 characters, which nothing
 * but the function replaceSpecialChars() reads. With this file the isolate writes the table when it is first read: 9 ms of CPU instead
 * of 38, and a heap of 1.5 MiB instead of 6.3 (npm run bench:isolates). What expressions return, and what separates them from n8n,
 * stays as it is.
 */
const fs = require('node:fs');
const { Script } = require('node:vm');

const RUNTIME = /[\\/]expression-runtime[\\/]dist[\\/]bundle[\\/]runtime\.iife\.js$/;

/**
 * The statement that writes the table, as minifiers leave it: table `t` of characters from lists `l`. Run: it is in all 41 versions of
 * the runtime from 0.5.0 to 0.32.0, the one of n8n 2.41.
 */
const LOOP =
  /,(?<t>[\w$]+)=\{\};(?<loop>for\(let (?<i>[\w$]+)=0;\k<i><(?<l>[\w$]+)\.length;\k<i>\+\+\)for\(let (?<j>[\w$]+)=0;\k<j><\k<l>\[\k<i>\]\.length;\k<j>\+\+\)\{let (?<text>[\w$]+)=\k<l>\[\k<i>\]\[\k<j>\];if\(typeof \k<text>=="string"&&\k<text>\.length\)\{let (?<char>[\w$]+)=String\.fromCharCode\(\(\k<i><<8\)\+\k<j>\);\k<t>\[\k<char>\]=\k<text>\}\})/;

/**
 * The runtime, with a table that is written when something reads it. Unchanged if the statement is not there as expected.
 * @param source the runtime's code
 */
function withLazyTable(source) {
  const found = LOOP.exec(source);
  if (!found) return source;
  const { t, l, loop } = found.groups;
  const start = source.lastIndexOf(`${l}=[[`, found.index);
  if (start < 0) return source;
  const lists = source.slice(start, found.index);
  // The name of the lists stays declared: later code lets go of them.
  const lazy = `${l}=0,${t}=(${lazyObject})(${t}=>{let ${lists};${loop}},Reflect);`;
  const changed = source.slice(0, start) + lazy + source.slice(found.index + found[0].length);
  return isCode(changed) ? changed : source;
}

/** An object that `fill` fills when it is first read. This is code of the isolate. */
const lazyObject = `(fill,reflect)=>{const traps={__proto__:null};for(const name of["get","has","ownKeys","getOwnPropertyDescriptor"])\
traps[name]=(object,...rest)=>{if(fill){const now=fill;fill=null;now(object)}return reflect[name](object,...rest)};return new Proxy({},traps)}`;

function isCode(source) {
  try {
    return new Script(source) !== undefined;
  } catch {
    return false;
  }
}

let last = {};

/** The text of the runtime's file, changed; the content of every other file as it is. n8n before 2.40 reads it for each isolate. */
function changeRuntime(file, content) {
  if (typeof content !== 'string' || !RUNTIME.test(String(file))) return content;
  if (content !== last.content) {
    last = { content, changed: withLazyTable(content) };
    if (last.changed === content)
      console.warn(
        'expressionEngine.lazyCharacterTable: no effect, since this n8n builds its isolates in another way.',
      );
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
