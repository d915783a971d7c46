import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type Result } from 'execa';
import { kubectl, type Namespace } from './namespace.js';

/** Runs commands of a document as its reader does: the namespace is kubectl's current one. */
export class Reader {
  /** Working folder of the commands. */
  readonly folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-reader-'));

  /** Runs lines of bash. Throws if one of them fails, a command of a pipe included. */
  async run(code: string, { name }: Namespace): Promise<Result> {
    const kubeconfig = join(this.folder, 'kubeconfig');
    writeFileSync(kubeconfig, await kubectl(['config', 'view', '--raw', '--flatten']), { mode: 0o600 });
    const env = { KUBECONFIG: kubeconfig };
    await execa('kubectl', ['config', 'set-context', '--current', '--namespace', name], { env });
    return execa('bash', ['-euo', 'pipefail', '-c', code], { env, cwd: this.folder });
  }

  end(): void {
    rmSync(this.folder, { recursive: true });
  }
}
