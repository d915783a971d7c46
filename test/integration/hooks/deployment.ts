import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import type { Deployment } from '../../../capacity/src/model/deployment.js';
import type { HooksLook } from '../../../capacity/src/model/run.js';
import { readHooks } from '../../../capacity/src/observe/hooks.js';
import { provisionProcesses } from '../../../capacity/src/provision/process/deploy.js';
import { loadTargets } from '../../../capacity/src/provision/load-targets.js';
import { render, type Values } from '../../chart/render.js';
import { WITH_BODY, workflows } from './workflows.js';

/** Bound and unbound hooks of each component, read from its log. */
export type Bound = Record<string, HooksLook>;

/** An n8n as the chart deploys it, with a hook of the user beside the chart's hooks. */
export class HookedN8n {
  private constructor(
    private readonly deployment: Deployment,
    private readonly folder: string,
  ) {}

  /** @param targets load targets beside the workflows of the test. Their ids are too large for n8n 0.x with PostgreSQL. */
  static async start(version: string, values: Values, targets = ['webhook-ack', 'webhook-wait']): Promise<HookedN8n> {
    const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-hooked-'));
    const theirs = join(folder, 'theirs.js');
    const marker = JSON.stringify(join(folder, 'theirs.txt'));
    writeFileSync(theirs, `exports.n8n = { ready: [async () => require('node:fs').writeFileSync(${marker}, 'ran')] };`);
    const objects = render({
      image: { tag: version },
      metrics: { enabled: true },
      extraEnv: [{ name: 'EXTERNAL_HOOK_FILES', value: theirs }],
      ...values,
    });
    const deployment = await provisionProcesses({
      objects,
      imports: async (token) => {
        const imported = await loadTargets(targets, token, version);
        return targets.length > 0
          ? { ...imported, workflows: [...imported.workflows, ...workflows] }
          : { workflows, credentials: [] };
      },
      webhook: { path: WITH_BODY, method: 'POST' },
      logs: folder,
      progress: terminalProgress(true),
    });
    return new HookedN8n(deployment, folder);
  }

  private get base(): URL {
    return new URL(this.deployment.access.endpoints[0]!);
  }

  /** Whether the hook of the user ran. */
  get ranTheirs(): boolean {
    return readFileSync(join(this.folder, 'theirs.txt'), 'utf8') === 'ran';
  }

  /** Status of the answer, with the token of the load targets. */
  async status(path: string, init: RequestInit = {}): Promise<number> {
    const headers = { 'x-load-target-token': this.deployment.access.token };
    const response = await fetch(new URL(path, this.base), { ...init, headers });
    await response.arrayBuffer();
    return response.status;
  }

  /**
   * Status of the answer to a request that asks for HTTP/2, as Java's HttpClient does. Undefined without an answer in 5 s.
   */
  statusOfUpgrade(path: string): Promise<number | undefined> {
    const headers = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAEAAEAAAAIAAAAB',
      'x-load-target-token': this.deployment.access.token,
    };
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, this.base), { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.setTimeout(5000, () => {
        asked.destroy();
        resolve(undefined);
      });
      asked.on('error', reject).end();
    });
  }

  /** Opens connections that send the headers of a request and one byte of its body. */
  holdBack(path: string, count: number): HeldRequest[] {
    const { hostname, port } = this.base;
    const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nx`;
    return Array.from({ length: count }, () => new HeldRequest(connect(Number(port), hostname), head));
  }

  /** Start time of each process of n8n, which a restart changes. */
  async began(): Promise<string[]> {
    const page = await (await fetch(new URL('/metrics', this.base))).text();
    return [...page.matchAll(/^(?:n8n_)?process_start_time_seconds.*? (\S+)$/gm)].map(([, time]) => time!);
  }

  /** The hooks read from n8n's metrics, as a run records them. */
  readonly recorded = (): Promise<HooksLook | undefined> => readHooks(this.deployment.sources.observer);

  /** The hooks of each component, read from the logs of n8n. */
  bound(): Bound {
    return Object.fromEntries(
      this.deployment.record.instances.flatMap(({ component, name }) => {
        const log = readFileSync(join(this.folder, `${name}.log`), 'utf8');
        const [, active = '', inactive = ''] =
          /hooks in n8n \S+: (?:active: ([\w, -]+?))?(?:; )?(?:inactive: ([\w, -]+?))?"?\r?$/m.exec(log) ?? [];
        const names = (list: string) => list.split(', ').filter(Boolean).sort();
        return active || inactive ? [[component, { active: names(active), inactive: names(inactive) }]] : [];
      }),
    );
  }

  async end(): Promise<void> {
    await this.deployment.teardown();
    rmSync(this.folder, { recursive: true });
  }
}

/** A request whose body does not arrive. */
export class HeldRequest {
  private text = '';
  private readonly closed: Promise<void>;

  constructor(
    private readonly socket: Socket,
    head: string,
  ) {
    socket.write(head);
    socket.on('data', (chunk) => (this.text += chunk.toString()));
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()).on('error', () => {}));
  }

  /** Status of the answer; undefined before it arrives, or if the connection was closed without an answer. */
  get status(): number | undefined {
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(this.text) ?? [];
    return status === undefined ? undefined : Number(status);
  }

  /** The status, once n8n has closed the connection. */
  async answered(): Promise<number | undefined> {
    await this.closed;
    return this.status;
  }

  end(): void {
    this.socket.destroy();
  }
}
