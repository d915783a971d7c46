import { UsageError } from '../../core/errors.js';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, paginateListObjectsV2, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { s3Error } from './errors.js';
import type { S3Address } from './address.js';

/** Time to connect, and longest silence of a server, in milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, socketTimeout: 60_000 };

/** Errors of a conditional write whose object exists, or is being written. */
const EXISTS = new Set(['PreconditionFailed', 'ConditionalRequestConflict']);

/** An object that proves that the prefix is writable, and explains the prefix to a reader. */
const ABOUT = 'README.txt';

/**
 * A prefix of a bucket, used as a folder. Credentials, region, retries and checksums are the AWS SDK's: it reads its usual
 * environment variables and files. Objects are written atomically: a reader sees the old or the new one. Every method throws
 * UsageError if the address, credentials or region are wrong, and EnvironmentFault if S3 cannot be reached or fails.
 */
export class S3Prefix {
  private readonly client: S3Client;

  /** @param signal aborted when the user ends the command: listing and downloading then throw its reason */
  constructor(
    readonly address: S3Address,
    private readonly signal?: AbortSignal,
  ) {
    const { endpoint, pathStyle } = address;
    this.client = new S3Client({
      ...(endpoint !== undefined && { endpoint }),
      forcePathStyle: pathStyle,
      followRegionRedirects: true,
      requestHandler: TIMEOUTS,
    });
  }

  /** Names of all recorded objects, relative to the prefix. */
  list(): Promise<string[]> {
    return this.said(async () => {
      const start = `${this.address.prefix}/`;
      const names: string[] = [];
      const query = { Bucket: this.address.bucket, Prefix: start };
      const pages = paginateListObjectsV2({ client: this.client }, query, this.abortable());
      for await (const { Contents = [] } of pages)
        names.push(...Contents.map(({ Key = '' }) => Key.slice(start.length)));
      // S3 consoles create an empty object for a "folder".
      return names.filter((name) => name !== '' && name !== ABOUT && !name.endsWith('/'));
    });
  }

  /** Throws if the prefix cannot be written. */
  requireWritable(): Promise<void> {
    const { url } = this.address;
    const Body = `Recorded by n8n-capacity. To read it: n8n-capacity report ${url}\n`;
    return this.said(async () => {
      await this.client.send(new PutObjectCommand({ ...this.at(ABOUT), Body, ContentType: 'text/plain' }));
    });
  }

  /** The text of an object. */
  text(name: string): Promise<string> {
    return this.said(async () => {
      const { Body } = await this.client.send(new GetObjectCommand(this.at(name)));
      return Body!.transformToString();
    });
  }

  /**
   * Uploads a small file unless the object exists already. Servers that know no conditional writes upload it in any case.
   * @throws UsageError if the object exists and is another file
   */
  async create(name: string, file: string): Promise<void> {
    const Body = await readFile(file);
    try {
      await this.client.send(new PutObjectCommand({ ...this.at(name), Body, IfNoneMatch: '*' }));
    } catch (error) {
      if (EXISTS.has((error as Error).name)) return await this.requireSame(name, Body);
      if ((error as Error).name !== 'NotImplemented') throw s3Error(error, this.address);
      await this.upload(name, file);
    }
  }

  /** Throws UsageError unless the object is this one: an upload whose answer was lost is tried again by the SDK. */
  private async requireSame(name: string, body: Buffer): Promise<void> {
    if ((await this.text(name)) === body.toString()) return;
    throw new UsageError(`${this.address.url}: another run records there; give another prefix.`);
  }

  /** Downloads every object into a folder. */
  async download(folder: string): Promise<void> {
    for (const name of await this.list()) {
      if (!/^[^/\\\0]+(\/[^/\\\0]+)*$/.test(name) || name.split('/').includes('..'))
        throw new UsageError(`${this.address.url}: holds "${name}", which is not a file name; remove it.`);
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await this.said(async () => {
        const { Body } = await this.client.send(new GetObjectCommand(this.at(name)), this.abortable());
        // The recorded values may be secret.
        await pipeline(Body as Readable, createWriteStream(file, { mode: 0o600 }), { signal: this.signal });
      });
    }
  }

  /**
   * Uploads a file in its current state.
   * @param most bytes to upload, for a file that is appended to
   */
  async upload(name: string, file: string, most = Infinity): Promise<void> {
    const handle = await open(file);
    try {
      const size = Math.min((await handle.stat()).size, most);
      const Body = size === 0 ? '' : handle.createReadStream({ end: size - 1, autoClose: false });
      const ContentType = name.endsWith('.html') ? 'text/html; charset=utf-8' : 'application/octet-stream';
      const params = { ...this.at(name), Body, ContentType };
      await this.said(() => new Upload({ client: this.client, params, queueSize: 1 }).done());
    } finally {
      await handle.close();
    }
  }

  private at(name: string) {
    return { Bucket: this.address.bucket, Key: `${this.address.prefix}/${name}` };
  }

  private abortable() {
    return this.signal ? { abortSignal: this.signal } : {};
  }

  private async said<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.signal?.throwIfAborted();
      throw s3Error(error, this.address);
    }
  }
}
