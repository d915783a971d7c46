import { rmSync } from 'node:fs';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { EnvironmentFault } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { scratchFolder, sweepFolders } from '../leftovers.js';
import type { Cluster } from './cluster.js';

/** Default timeout of a request to the API server. */
export const ASK_MS = 5000;
const START_SECONDS = 10;

/** Shell script that runs a command until it ends or standard input closes, as when this process is killed. */
export const WHILE_STDIN_IS_OPEN =
  'exec 3<&0; "$@" & pid=$!; { read -r line; kill $pid; } <&3 & wait $pid; kill $! 2>/dev/null';

export interface ApiAnswer {
  status: number;
  body: string;
  /** The API server's clock, in milliseconds since the epoch, to the second. */
  date: number;
}

/**
 * The API server behind a Unix socket of this user, served by one `kubectl proxy`: a request every second then needs no
 * process of its own.
 */
export class ApiProxy {
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly child: ResultPromise,
    private readonly folder: string,
  ) {
    process.once('exit', this.closeNow);
  }

  /** @throws EnvironmentFault when it does not come up */
  static async open(cluster: Cluster): Promise<ApiProxy> {
    await sweepFolders();
    const folder = await scratchFolder();
    const args = cluster.arguments([
      'proxy',
      `--unix-socket=${join(folder, 'api')}`,
      '--reject-methods=^(POST|PUT|PATCH|DELETE)$',
    ]);
    const child = execa('sh', ['-c', WHILE_STDIN_IS_OPEN, 'sh', 'kubectl', ...args], {
      stdin: 'pipe',
      stdout: 'ignore',
      reject: false,
      // Detached, so that Ctrl-C does not end it: the clean-up needs it.
      detached: true,
    });
    const proxy = new ApiProxy(child, folder);
    const answer = () => proxy.get('/readyz', 2000).catch(() => undefined);
    if (await waitUntil(answer, { seconds: START_SECONDS, everyMs: 100 })) return proxy;
    proxy.close();
    const { stderr } = await child;
    throw new EnvironmentFault(
      `kubectl proxy did not start: ${String(stderr).trim() || `no answer in ${START_SECONDS} s`}`,
    );
  }

  /**
   * A GET; resolves whatever the status.
   * @throws EnvironmentFault when there is no answer in time
   */
  get(path: string, timeoutMs: number): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { socketPath: join(this.folder, 'api'), path, agent: this.agent, signal };
      const failed = (error: Error) => reject(new EnvironmentFault(`the API server does not answer: ${error.message}`));
      const sent = request({ ...options, headers: { host: 'localhost' } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.on('error', failed);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body, date: Date.parse(response.headers.date ?? '') }),
        );
      });
      sent.on('error', failed).end();
    });
  }

  /**
   * A GET of JSON.
   * @throws EnvironmentFault unless the answer is 200
   */
  async json<T>(path: string, timeoutMs: number): Promise<T> {
    const { status, body } = await this.get(path, timeoutMs);
    if (status !== 200) throw new EnvironmentFault(`the API server answers HTTP ${status}: ${messageIn(body)}`);
    return JSON.parse(body) as T;
  }

  /** A GET whose answer is read line by line as it arrives; rejects when the connection breaks or the status is not 200. */
  async follow(path: string, onLine: (line: string) => void): Promise<void> {
    const options = { socketPath: join(this.folder, 'api'), path, agent: this.agent, headers: { host: 'localhost' } };
    const sent = request(options).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    // Later errors are reported by the response.
    sent.on('error', () => {});
    response.setEncoding('utf8');
    if (response.statusCode !== 200)
      throw new EnvironmentFault(`the API server answers HTTP ${response.resume().statusCode}`);
    let rest = '';
    for await (const chunk of response as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      lines.forEach(onLine);
    }
  }

  close(): void {
    process.off('exit', this.closeNow);
    this.agent.destroy();
    this.closeNow();
  }

  private readonly closeNow = (): void => {
    this.child.stdin?.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  };
}

/** The message of a Kubernetes Status object, else the first 200 characters. */
function messageIn(body: string): string {
  try {
    return (JSON.parse(body) as { message?: string }).message ?? '';
  } catch {
    return body.slice(0, 200);
  }
}
