import { posix } from 'node:path';
import type { Container, Volume } from 'kubernetes-types/core/v1.js';
import { stripFileSuffix } from '../core/variables.js';
import { formatValue } from './manifests/names.js';
import { normalizeMountPath } from './mount-paths.js';
import { sortNodeOptions } from './node-options.js';
import type { KubernetesObject } from './objects.js';
import { isOwnFile } from './own-files.js';

/** A container of n8n with its environment as plain values. */
export interface ResolvedContainer {
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
const adviceOn = (name: string): string =>
  `remove it from the manifests, or override it, such as with --env ${name}= for an empty value; in a cluster ` +
  '(--provisioner kubernetes) it runs in its container';

/**
 * Variables of a container that would run code other than n8n's on this machine, each as a sentence. Files of this chart may be
 * loaded if they equal, byte for byte, those that ship with this tool.
 */
export function codeProblems(given: ResolvedContainer, objects: KubernetesObject[]): string[] {
  const isOwn = (file: string) => isChartFile(file, given, objects);
  const say = (name: string, what: string, why: string) => `${given.name}: ${name} ${what}${why}; ${adviceOn(name)}.`;
  return Object.entries(given.environment).flatMap(([name, value]) => {
    if (value === '') return [];
    if (FILE_VARIABLE.test(name)) return [say(name, '', 'reads from a file which code to load')];
    if (name === 'NODE_OPTIONS') {
      const { preloads, others } = sortNodeOptions(value);
      // Paths in quotes are not looked up in ConfigMaps.
      const isPlain = !/["\\]/.test(value);
      return [
        ...preloads
          .filter(({ file }) => !(isPlain && isOwn(file)))
          .map(({ option }) => say(name, `${formatValue(option)} `, LOADS_FOREIGN_CODE)),
        ...others.map((option) => say(name, `${formatValue(option)} `, 'may run code, open a port or use files')),
      ];
    }
    if (name === 'EXTERNAL_HOOK_FILES') {
      return splitHookFiles(value, given.environment[SEPARATOR])
        .filter((file) => !isOwn(file))
        .map((file) => say(name, `${formatValue(file)} `, LOADS_FOREIGN_CODE));
    }
    if (name === SEPARATOR && value.length > 1)
      return [say(name, `${formatValue(value)} `, 'is longer than one character, so it can hold a file')];
    return LOADERS.test(stripFileSuffix(name)) ? [say(name, '', 'makes programs load code')] : [];
  });
}

const SEPARATOR = 'EXTERNAL_HOOK_FILES_SEPARATOR';
const FILE_VARIABLE = /^(NODE_OPTIONS|EXTERNAL_HOOK_FILES(_SEPARATOR)?)_FILE$/;

/** Files of hooks as any version of n8n may read them. Below 2, n8n splits at colons whatever the separator is. */
const splitHookFiles = (value: string, separator = ''): string[] =>
  [...new Set([...value.split(':'), ...value.split(separator || ':')])].filter(Boolean);

const LOADS_FOREIGN_CODE = 'loads code into n8n that does not come from this chart';

/**
 * Whether a path in a container is a file of this chart. All files of its ConfigMap must be the chart's, because such a file
 * requires those beside it.
 */
function isChartFile(path: string, { container, volumes }: ResolvedContainer, objects: KubernetesObject[]): boolean {
  const folder = posix.dirname(path);
  // If another mount is at this path or above it, the file may come from that mount.
  const mounts = (container.volumeMounts ?? []).filter(({ mountPath }) =>
    `${path}/`.startsWith(`${normalizeMountPath(mountPath)}/`),
  );
  const [mount, ...more] = mounts;
  if (!mount || more.length > 0 || normalizeMountPath(mount.mountPath) !== folder) return false;
  if (mount.subPath !== undefined || mount.subPathExpr !== undefined) return false;
  const source = volumes.find(({ name }) => name === mount.name)?.configMap;
  if (!source || source.items !== undefined) return false;
  const { data = {} } = objects.find((o) => o.kind === 'ConfigMap' && o.metadata.name === source.name) ?? {};
  return Object.hasOwn(data, posix.basename(path)) && Object.entries(data).every(([key, text]) => isOwnFile(key, text));
}
