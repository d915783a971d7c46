import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const cache = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');

/** The installed runtimes, each with the beginning of its Node version. */
export const RUNTIMES = [
  ['n8n-2', '24.'],
  ['n8n-1', '22.'],
  ['n8n-0', '18.'],
] as const;

/** Result of an execution of `test/nodes/in-core/execute.cjs`. */
export interface Result {
  status: string;
  items?: Array<{ json: any; binary?: any; pairedItem: unknown }>;
  error?: string;
}

/** The nodes, compiled into a separate folder, so that they find only the n8n of a runtime. */
export class CompiledNodes {
  readonly folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-in-core-'));

  /** Compiles the nodes, which takes some seconds. */
  constructor() {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const target = join(this.folder, 'dist');
    execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.node.json'), '--outDir', target]);
    cpSync(join(root, 'test/nodes/in-core/execute.cjs'), join(this.folder, 'execute.cjs'));
  }

  /**
   * Runs the executions one after another in the n8n-core of a runtime.
   * @throws Error when it gives no results
   */
  async run(runtime: string, executions: object[], environment: Record<string, string> = {}): Promise<Result[]> {
    const modules = join(cache, 'runtimes', runtime, 'node_modules');
    const node = join(modules, 'node/bin/node');
    if (!existsSync(node)) throw new Error(`${runtime} is not installed in ${cache}: run "make setup" first`);
    const env = { NODE_PATH: modules, N8N_USER_FOLDER: this.folder, TMPDIR: this.folder, ...environment };
    const output = await new Promise<string>((resolve) => {
      const options = { cwd: this.folder, env, timeout: 60_000, maxBuffer: 64 * 2 ** 20 };
      const child = execFile(node, [join(this.folder, 'execute.cjs')], options, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
      child.stdin?.end(JSON.stringify(executions));
    });
    const results = /^RESULTS (.*)$/m.exec(output)?.[1];
    if (!results) throw new Error(`${runtime} gave no results:\n${output}`);
    return JSON.parse(results);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
