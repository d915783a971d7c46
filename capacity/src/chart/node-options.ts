/**
 * Splits NODE_OPTIONS into words as Node does (read: ParseNodeOptionsEnvVar in node's src/node_options.cc). Spaces outside of
 * double quotes separate words. Within quotes a backslash escapes. Quotes may occur within a word.
 */
export function splitNodeOptions(options: string): string[] {
  const words: string[] = [];
  let [isQuoted, isNew] = [false, true];
  for (let i = 0; i < options.length; i++) {
    let character = options[i]!;
    if (character === '"') {
      isQuoted = !isQuoted;
      continue;
    }
    if (character === ' ' && !isQuoted) {
      isNew = true;
      continue;
    }
    if (character === '\\' && isQuoted) character = options[++i] ?? '';
    if (isNew) words.push(character);
    else words[words.length - 1] += character;
    isNew = false;
  }
  return words;
}

/** Options of Node that only set sizes, limits and messages, and the value that each takes: none, a number or a word. */
const HARMLESS_OPTION = new RegExp(
  `^--(no-)?(${[
    // V8
    'max-old-space-size(-percentage)?|(max|min)-semi-space-size|max-heap-size|initial-heap-size|semi-space-growth-factor',
    'stack-size|stack-trace-limit|optimize-for-size|expose-gc|single-threaded(-gc)?|jitless|interpreted-frames-native-stack',
    'gc-interval|gc-global|always-compact|lite-mode|concurrent-[a-z-]+|trace-gc(-verbose|-nvp|-ignore-scavenger)?|sparkplug|maglev',
    'wasm-[a-z-]+|harmony-[a-z-]+|disallow-code-generation-from-strings|abort-on-uncaught-exception|huge-max-old-generation-size',
    // Node
    'addons|async-context-frame|deprecation|warnings|pending-deprecation|throw-deprecation|trace-[a-z-]+|unhandled-rejections',
    'disable-warning|disable-proto|frozen-intrinsics|enable-source-maps|enable-fips|force-fips|node-snapshot|global-search-paths',
    'dns-result-order|network-family-autoselection(-attempt-timeout)?|verify-base-objects|zero-fill-buffers|v8-pool-size',
    'max-http-header-size|insecure-http-parser|http-parser|keep-alive|secure-heap(-min)?|tls-(min|max)-v1\\.[0-3]|experimental-fetch',
    'use-(largepages|openssl-ca|bundled-ca|system-ca|env-proxy)|openssl-legacy-provider|force-context-aware|force-node-api-[a-z-]+',
    'preserve-symlinks(-main)?|input-type|experimental-(vm-modules|strip-types|transform-types|webstorage|websocket|worker|wasm-modules)',
    'experimental-(require-module|global-navigator|global-customevent|permission|print-required-tla|sqlite|abortcontroller)',
    'experimental-(detect-module|import-meta-resolve|json-modules|wasi-unstable-preview1|global-webcrypto|top-level-await|eventsource)',
    'experimental-specifier-resolution|experimental-repl-await|title|heapsnapshot-near-heap-limit|heapsnapshot-signal|permission',
  ].join('|')})(=[\\w.-]*)?$`,
);

/** Options of Node that load a file before the program: the value of each is that file. */
const PRELOAD_OPTION = /^(?:--require|-r|--import|--loader|--experimental-loader)(?:=(.*))?$/s;

/** The options in NODE_OPTIONS that do more than set sizes, limits and messages. */
export interface NodeOptions {
  /** Files that are loaded before the program, with the option as written. */
  preloads: { option: string; file: string }[];
  /** Options that are neither preloads nor harmless: they run code, open a port, or read and write files. */
  others: string[];
}

/** Sorts the options. Node reads _ in the name of an option as -. */
export function sortNodeOptions(options: string): NodeOptions {
  const sorted: NodeOptions = { preloads: [], others: [] };
  const words = splitNodeOptions(options);
  for (let i = 0; i < words.length; i++) {
    const option = withHyphens(words[i]!);
    const preload = PRELOAD_OPTION.exec(option);
    if (preload) {
      const file = preload[1] ?? words[++i] ?? '';
      sorted.preloads.push({ option: preload[1] === undefined ? `${option} ${file}` : option, file });
    } else if (!HARMLESS_OPTION.test(option) && !isOptionValue(words[i]!, words[i - 1])) sorted.others.push(option);
  }
  return sorted;
}

const withHyphens = (word: string): string => {
  const [name = '', ...value] = word.split('=');
  return [name.startsWith('--') ? name.replaceAll('_', '-') : name, ...value].join('=');
};

/** Whether a word is the value of the harmless option before it, such as `--max-old-space-size 512`. */
const isOptionValue = (word: string, before = ''): boolean =>
  /^\w[\w.-]*$/.test(word) && !before.includes('=') && HARMLESS_OPTION.test(withHyphens(before));
