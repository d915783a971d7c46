import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { LOOPBACK } from '../core/loopback.js';
import { UsageError } from '../core/errors.js';
import type { Progress } from '../core/progress.js';
import { waitUntil } from '../core/wait-until.js';
import { judgeRun } from '../judge/run.js';
import { readRun } from '../record/recorder.js';
import { renderWaitingPage } from '../report/html/document.js';
import { renderHtml } from '../report/html/page.js';
import { FILES } from '../record/names.js';

/** Only this machine can reach this address. */
const HOSTS = [LOOPBACK, 'localhost'];
/** How often the record is looked at, in milliseconds. */
const LOOK_MS = 1000;
/** Longest wait at the end for browsers to load the report, in seconds. */
const LAST_LOOK_SECONDS = 3;

/**
 * Serves the report of a run while it goes on, as a page on the loopback address. The page reloads after each step, and shows the
 * progress of the command in between.
 */
export class LiveView {
  private readonly watching = new Set<ServerResponse>();
  private last = 'starting';
  private seen: string;
  private ended = false;
  /** Pages that were served before the end, and have not asked for events yet. */
  private opening = 0;
  /** Pages that were served after the end. */
  private lastLooks = 0;
  private readonly looking: NodeJS.Timeout;

  /** Where the page is. */
  readonly url: string;

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
    private readonly lastLookSeconds: number,
  ) {
    this.url = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/`;
    this.seen = this.state();
    this.looking = setInterval(() => this.look(), LOOK_MS);
    server.on('request', (request, response) => void this.answer(request, response));
  }

  /**
   * Begins to serve the run that is recorded into `folder`, which need not exist yet.
   * @param port 0 for any free one
   * @param lastLookSeconds how long `close` waits at most for open pages to load the report
   * @throws UsageError when the port is taken
   */
  static async open(folder: string, port: number, lastLookSeconds = LAST_LOOK_SECONDS): Promise<LiveView> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(
          new UsageError(
            `--watch: port ${port} cannot be used (${error.message}); give another, or none for any free one.`,
          ),
        ),
      );
      server.listen(port, LOOPBACK, resolve);
    });
    return new LiveView(folder, server, lastLookSeconds);
  }

  /** The same progress, shown on the page, too. */
  follow(progress: Progress): Progress {
    return {
      signal: progress.signal,
      during: (label, work) => {
        this.say(label);
        return progress.during(label, work);
      },
      update: (text) => {
        this.say(text);
        progress.update(text);
      },
      line: (text) => {
        this.say(text);
        progress.line(text);
      },
      warn: (text) => {
        this.say(text);
        progress.warn(text);
      },
    };
  }

  /** Lets browsers load the report of the ended run, then stops to serve. */
  async close(): Promise<void> {
    clearInterval(this.looking);
    this.ended = true;
    const browsers = this.watching.size + this.opening;
    this.send('changed', '');
    await waitUntil(() => this.lastLooks >= browsers, { seconds: this.lastLookSeconds, everyMs: 50 });
    this.server.close();
    this.server.closeAllConnections();
  }

  private say(text: string): void {
    this.last = stripVTControlCharacters(text).replace(/\s+/g, ' ').trim();
    this.send('progress', this.last);
  }

  private send(event: string, data: string): void {
    for (const response of this.watching) response.write(`event: ${event}\ndata: ${data}\n\n`);
  }

  /** What of the record the page shows: it changes when the run begins and when a step has ended. */
  private state(): string {
    const size = (name: string) => statSync(join(this.folder, name), { throwIfNoEntry: false })?.size ?? 0;
    return `${size(FILES.run)} ${size(FILES.steps)}`;
  }

  private look(): void {
    const state = this.state();
    if (state === this.seen) return;
    this.seen = state;
    this.send('changed', '');
  }

  private async answer({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    // A name that leads here from elsewhere: a page in the browser that tries to read this one.
    if (!HOSTS.includes((headers.host ?? '').replace(/:\d+$/, ''))) return void response.writeHead(403).end();
    if (method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    if (url === '/events') return this.stream(response);
    if (url !== '/') return void response.writeHead(404).end();
    try {
      const page = await this.page();
      if (this.ended) response.on('close', () => this.lastLooks++);
      else this.opening++;
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(page);
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(String(error));
    }
  }

  private stream(response: ServerResponse): void {
    this.opening = Math.max(0, this.opening - 1);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    // A browser that loaded the page just before the end learns of it now.
    response.write(this.ended ? 'event: changed\ndata: \n\n' : `event: progress\ndata: ${this.last}\n\n`);
    this.watching.add(response);
    response.on('close', () => this.watching.delete(response));
  }

  private async page(): Promise<string> {
    const report = join(this.folder, FILES.report);
    if (this.ended && existsSync(report)) return readFile(report, 'utf8');
    if (!existsSync(join(this.folder, FILES.run))) return renderWaitingPage('n8n-capacity');
    const run = await readRun(this.folder);
    return renderHtml(run, judgeRun(run), undefined, !this.ended);
  }
}
