import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Handling of `If-None-Match: *`: like S3 (`kept`), ignored, or refused as an unknown header (`not-implemented`). */
export type Conditional = 'kept' | 'ignored' | 'not-implemented';

/** The part of S3 that records need, in memory: list, put and get, without authentication. It can simulate an outage. */
export class S3Stub {
  /** Objects by path, as `/bucket/key`. */
  readonly objects = new Map<string, Buffer>();
  /** While true, the stub closes every connection without an answer. */
  dead = false;

  private constructor(
    private readonly server: Server,
    private readonly conditional: Conditional,
  ) {}

  static async start(conditional: Conditional = 'kept'): Promise<S3Stub> {
    const server = createServer();
    const stub = new S3Stub(server, conditional);
    server.on('request', (request: IncomingMessage, response) => {
      if (stub.dead) return void request.socket.destroy();
      void stub.answer(request).then(([status, body]) => response.writeHead(status).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  /** Environment that the AWS SDK needs, together with `--s3-path-style`. */
  get environment(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    const keys = { AWS_ACCESS_KEY_ID: 'stub', AWS_SECRET_ACCESS_KEY: 'stub', AWS_REGION: 'us-east-1' };
    return { ...keys, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` };
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage): Promise<[status: number, body: string | Buffer]> {
    const { pathname, searchParams } = new URL(request.url!, 'http://s3');
    const path = decodeURIComponent(pathname);
    if (request.method === 'PUT') return this.put(path, request);
    if (searchParams.has('list-type')) return [200, this.list(path, searchParams.get('prefix') ?? '')];
    const object = this.objects.get(path);
    return object ? [200, object] : [404, errorBody('NoSuchKey')];
  }

  private async put(path: string, request: IncomingMessage): Promise<[number, string]> {
    const body = await readBody(request);
    const isConditional = request.headers['if-none-match'] === '*';
    if (isConditional && this.conditional === 'not-implemented') return [501, errorBody('NotImplemented')];
    if (isConditional && this.conditional === 'kept' && this.objects.has(path))
      return [412, errorBody('PreconditionFailed')];
    this.objects.set(path, body);
    return [200, ''];
  }

  private list(bucket: string, prefix: string): string {
    const start = `${bucket.replace(/\/$/, '')}/`;
    const keys = [...this.objects.keys()].filter((path) => path.startsWith(start + prefix));
    const contents = keys.map((path) => `<Contents><Key>${path.slice(start.length)}</Key></Contents>`);
    return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
  }
}

const errorBody = (code: string) => `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;

/** Reads the body. The SDK sends streams as aws-chunked: each chunk follows its length, and trailers come last. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const sent = Buffer.concat(parts);
  if (!String(request.headers['content-encoding'] ?? '').includes('aws-chunked')) return sent;
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const line = sent.indexOf('\r\n', at);
    const length = Number.parseInt(sent.toString('latin1', at, line), 16);
    if (!(length > 0)) return Buffer.concat(chunks);
    chunks.push(sent.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}
