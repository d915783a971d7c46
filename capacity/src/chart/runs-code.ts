import { posix } from 'node:path';
import type { Container, Volume } from 'kubernetes-types/core/v1.js';
import { variableOf } from '../core/variables.js';
import { shownValue } from './manifests/names.js';
import { pathOfMount } from './mount-paths.js';
import { nodeOptions } from './node-options.js';
import type { KubernetesObject } from './objects.js';
import { isOwnFile } from './own-files.js';

/** A container of n8n with its environment as plain values. */
export interface Environed {
  /** For messages, such as `Deployment n8n`. */
  name: string;
  container: Container;
  volumes: Volume[];
  environment: Record<string, string>;
}

/** Variables that make Node, the linker, a shell, git, npm or another interpreter load code or run programs. */
const LOADERS = new RegExp(
  `^(${[
    'LD_[A-Z_]+|DYLD_[A-Z_]+|GCONV_PATH|OPENSSL_(CONF|CONF_INCLUDE|ENGINES|MODULES)',
    'NODE_(PATH|REPL_EXTERNAL_MODULE|CHANNEL_FD|UNIQUE_ID)|BASH_ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|PS4',
    'PYTHON(PATH|HOME|STARTUP|INSPECT|BREAKPOINT|USERBASE|EXECUTABLE)|PERL5?(LIB|OPT|DB)|RUBY(LIB|OPT)',
    '_?JAVA_(TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|(GIT|SSH)_ASKPASS',
    'GIT_(SSH(_COMMAND)?|PROXY_COMMAND|EXTERNAL_DIFF|CONFIG\\w*|EXEC_PATH|TEMPLATE_DIR|PAGER|(SEQUENCE_)?EDITOR)',
    'npm_config_(script_shell|shell|node_options|(global|user)config|prefix|git|init_module|onload_script|editor|viewer)',
    // n8n: folders of nodes, packages that it installs at its start, and files of settings, which can name hooks. In 1.6x and
    // 1.7x also the program that starts the task runners.
    'N8N_CUSTOM_EXTENSIONS|N8N_COMMUNITY_PACKAGES(_MANAGED_BY_ENV)?|N8N_CONFIG_FILES|N8N_RUNNERS_LAUNCHER_\\w+',
  ].join('|')})$`,
  'i',
);

/** Advice on a variable that runs code. */
const todo = (name: string): string =>
  `remove it from the manifests, or override it, such as with --env ${name}= for an empty value; in a cluster ` +
  '(--provisioner kubernetes) it runs in its container';

/**
 * Variables of a container that would run code other than n8n's on this machine, each as a sentence. Files of this chart may be
 * loaded if they equal, byte for byte, those that ship with this tool.
 */
export function codeProblems(given: Environed, objects: KubernetesObject[]): string[] {
  const isOwn = (file: string) => isFileOfThisChart(file, given, objects);
  const say = (name: string, what: string, why: string) => `${given.name}: ${name} ${what}${why}; ${todo(name)}.`;
  return Object.entries(given.environment).flatMap(([name, value]) => {
    if (value === '') return [];
    if (IN_FILE.test(name)) return [say(name, '', 'reads from a file which code to load')];
    if (name === 'NODE_OPTIONS') {
      const { preloads, others } = nodeOptions(value);
      // Paths in quotes are not looked up in ConfigMaps.
      const isPlain = !/["\\]/.test(value);
      return [
        ...preloads
          .filter(({ file }) => !(isPlain && isOwn(file)))
          .map(({ option }) => say(name, `${shownValue(option)} `, PRELOADS)),
        ...others.map((option) => say(name, `${shownValue(option)} `, 'may run code, open a port or use files')),
      ];
    }
    if (name === 'EXTERNAL_HOOK_FILES') {
      return hookFiles(value, given.environment[SEPARATOR])
        .filter((file) => !isOwn(file))
        .map((file) => say(name, `${shownValue(file)} `, PRELOADS));
    }
    if (name === SEPARATOR && value.length > 1)
      return [say(name, `${shownValue(value)} `, 'is longer than one character, so it can hold a file')];
    return LOADERS.test(variableOf(name)) ? [say(name, '', 'makes programs load code')] : [];
  });
}

const SEPARATOR = 'EXTERNAL_HOOK_FILES_SEPARATOR';
const IN_FILE = /^(NODE_OPTIONS|EXTERNAL_HOOK_FILES(_SEPARATOR)?)_FILE$/;

/** Files of hooks as any version of n8n may read them. Below 2, n8n splits at colons whatever the separator is. */
const hookFiles = (value: string, separator = ''): string[] =>
  [...new Set([...value.split(':'), ...value.split(separator || ':')])].filter(Boolean);

const PRELOADS = 'loads code into n8n that does not come from this chart';

/**
 * Whether a path in a container is a file of this chart. All files of its ConfigMap must be the chart's, because such a file
 * requires those beside it.
 */
function isFileOfThisChart(path: string, { container, volumes }: Environed, objects: KubernetesObject[]): boolean {
  const folder = posix.dirname(path);
  // If another mount is at this path or above it, the file may come from that mount.
  const mounts = (container.volumeMounts ?? []).filter(({ mountPath }) =>
    `${path}/`.startsWith(`${pathOfMount(mountPath)}/`),
  );
  const [mount, ...more] = mounts;
  if (!mount || more.length > 0 || pathOfMount(mount.mountPath) !== folder) return false;
  if (mount.subPath !== undefined || mount.subPathExpr !== undefined) return false;
  const source = volumes.find(({ name }) => name === mount.name)?.configMap;
  if (!source || source.items !== undefined) return false;
  const { data = {} } = objects.find((o) => o.kind === 'ConfigMap' && o.metadata.name === source.name) ?? {};
  return Object.hasOwn(data, posix.basename(path)) && Object.entries(data).every(([key, text]) => isOwnFile(key, text));
}
