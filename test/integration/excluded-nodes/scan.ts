import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

/** Modules of Node that read files, start programs or run code. */
const MODULES =
  '(?:node:)?(?:child_process|cluster|fs|fs/promises|inspector|module|repl|sqlite|v8|vm|wasi|worker_threads)';
const IMPORTED = String.raw`(?:require|import)\(\s*["'](MODULE)["']\s*\)|from\s*["'](MODULE)["']`;
const REACHES_NODE = new RegExp(IMPORTED.replaceAll('MODULE', MODULES));

/** Checked in n8n's own files as well: n8n-core's functions for files, and code that is compiled from text. */
const HELPERS = /\b(?:createReadStream|createWriteStream|writeContentToFile)\(|\bnew Function\(|\beval\(/;
const IMPORTS = new RegExp(IMPORTED.replaceAll('MODULE', String.raw`[@.\w][^"'\s]*`), 'g');

/** Packages whose files are checked one by one. n8n-core and n8n-workflow give nodes the functions of HELPERS. */
const OWN = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain', '@n8n/ai-utilities'];
const WITH_NODES = OWN.slice(0, 2);
const TRUSTED = ['n8n-core', 'n8n-workflow'];

/** Folders of packages that no program loads. */
const UNUSED = /^(?:node_modules|tests?|__tests__|examples?|benchmarks?|scripts|docs|esm|es6?|src)$/;

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/**
 * Finds, for each node type of an installed n8n, its files and packages that use a module which reads files, starts
 * programs or runs code.
 */
export class NodeScan {
  private readonly imports = new Map<string, string[]>();
  private readonly packages = new Map<string, boolean>();

  /** @param modules the folder node_modules of n8n */
  constructor(private readonly modules: string) {}

  /** By node type: files of n8n's own packages (`n8n-nodes-base/dist/…`) and names of other packages. */
  findings(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const owner of WITH_NODES) {
      const root = join(this.modules, owner);
      if (!existsSync(root)) continue;
      const known = JSON.parse(readFileSync(join(root, 'dist/known/nodes.json'), 'utf8'));
      for (const [name, { sourcePath }] of Object.entries<{ sourcePath: string }>(known)) {
        found.set(`${owner}.${name}`, this.reachedFrom(join(root, sourcePath)));
      }
    }
    return found;
  }

  private reachedFrom(entry: string): string[] {
    const found = new Set<string>();
    const seen = new Set<string>();
    const waiting = [entry];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      if (this.isMarked(file)) found.add(relative(this.modules, file));
      for (const name of this.importsOf(file)) {
        if (name.startsWith('.') || OWN.includes(packageOf(name))) waiting.push(...this.resolveImport(file, name));
        else if (this.isMarkedPackage(packageOf(name))) found.add(packageOf(name));
      }
    }
    return [...found].sort();
  }

  private importsOf(file: string): string[] {
    const known = this.imports.get(file);
    if (known) return known;
    const names = [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, called, from]) => (called ?? from)!);
    this.imports.set(file, names);
    return names;
  }

  private isMarked(file: string): boolean {
    const text = readFileSync(file, 'utf8');
    return REACHES_NODE.test(text) || HELPERS.test(text);
  }

  private isMarkedPackage(name: string): boolean {
    if (TRUSTED.includes(name) || builtinModules.includes(name.replace(/^node:/, ''))) return false;
    const known = this.packages.get(name);
    if (known !== undefined) return known;
    const folders = ['', ...OWN].map((owner) => join(this.modules, owner, owner && 'node_modules', name));
    const isMarked = folders.some(
      (folder) => existsSync(folder) && hasFile(folder, (file) => REACHES_NODE.test(readFileSync(file, 'utf8'))),
    );
    this.packages.set(name, isMarked);
    return isMarked;
  }

  /** The file that an import resolves to; empty unless it is JavaScript of n8n's packages. */
  private resolveImport(file: string, name: string): string[] {
    const path = name.startsWith('.') ? resolve(dirname(file), name) : join(this.modules, this.resolveExport(name));
    return [path, `${path}.js`, join(path, 'index.js')].filter((one) => one.endsWith('.js') && isFile(one)).slice(0, 1);
  }

  /** The path of a module of n8n's own packages, resolved by the exports in its package.json. */
  private resolveExport(name: string): string {
    const owner = packageOf(name);
    const { main = 'index.js', exports = {} } = JSON.parse(
      readFileSync(join(this.modules, owner, 'package.json'), 'utf8'),
    );
    const entry = exports[name === owner ? '.' : `.${name.slice(owner.length)}`];
    const target = typeof entry === 'string' ? entry : (entry?.require?.default ?? entry?.require ?? entry?.default);
    if (typeof target === 'string') return join(owner, target);
    return name === owner ? join(owner, main) : name;
  }
}

/** Whether any script of a package's folder passes a test. */
function hasFile(folder: string, test: (file: string) => boolean): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return !UNUSED.test(entry.name) && hasFile(path, test);
    return /\.[cm]?js$/.test(entry.name) && test(path);
  });
}
