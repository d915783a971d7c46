import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import getPort from 'get-port';
import { ensureGoProgram } from './go-program.js';

const ensureBinary = () => ensureGoProgram('github.com/versity/versitygw/cmd/versitygw', '1.8.0', 'an S3 server');

/** A real S3 server that keeps buckets in a folder: versitygw (Apache-2.0). It can crash and be started again. */
export class S3Server {
  private readonly home = mkdtempSync(join(tmpdir(), 's3-server-'));
  private child: ReturnType<typeof execa> | undefined;

  private constructor(
    private readonly file: string,
    private readonly port: number,
  ) {
    for (const folder of ['buckets', 'metadata', 'accounts']) mkdirSync(join(this.home, folder));
  }

  static async start(): Promise<S3Server> {
    const server = new S3Server(await ensureBinary(), await getPort({ host: '127.0.0.1' }));
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Environment with which the AWS SDK uses the server as its root user. */
  get environment(): Record<string, string> {
    return { ...ROOT, AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL_S3: this.url };
  }

  /** Creates a bucket and returns its folder. */
  createBucket(name: string): string {
    const folder = join(this.home, 'buckets', name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Creates an account without permissions and returns its environment. */
  async createStranger(): Promise<Record<string, string>> {
    const [access, secret] = ['stranger', 'stranger-secret'];
    const user = ['create-user', '--access', access, '--secret', secret, '--role', 'user'];
    await execa(this.file, ['admin', '--endpoint-url', this.url, ...user], {
      env: { ADMIN_ACCESS_KEY_ID: ROOT.AWS_ACCESS_KEY_ID, ADMIN_SECRET_ACCESS_KEY: ROOT.AWS_SECRET_ACCESS_KEY },
    });
    return { ...this.environment, AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret };
  }

  /**
   * Starts the server unless it already runs.
   * @throws Error when it does not answer in time
   */
  async start(): Promise<void> {
    if (this.child) return;
    const [buckets, metadata, accounts] = ['buckets', 'metadata', 'accounts'].map((name) => join(this.home, name));
    this.child = execa(
      this.file,
      [
        '--quiet',
        '--port',
        `127.0.0.1:${this.port}`,
        '--iam-dir',
        accounts!,
        'posix',
        '--sidecar',
        metadata!,
        buckets!,
      ],
      {
        env: { ROOT_ACCESS_KEY_ID: ROOT.AWS_ACCESS_KEY_ID, ROOT_SECRET_ACCESS_KEY: ROOT.AWS_SECRET_ACCESS_KEY },
        stdin: 'ignore',
        reject: false,
        all: true,
      },
    );
    for (let i = 0; !(await this.isAnswering()); i++) {
      if (i === 100 || this.child.exitCode !== null) {
        this.child.kill();
        throw new Error(`the S3 server does not start:\n${String((await this.child).all)}`);
      }
      await sleep(100);
    }
  }

  private isAnswering(): Promise<boolean> {
    return fetch(this.url).then(
      () => true,
      () => false,
    );
  }

  /** Kills the server; its data stays. */
  async crash(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.child;
    this.child = undefined;
  }

  async remove(): Promise<void> {
    await this.crash();
    rmSync(this.home, { recursive: true });
  }
}

const ROOT = { AWS_ACCESS_KEY_ID: 'root', AWS_SECRET_ACCESS_KEY: 'root-secret' };
