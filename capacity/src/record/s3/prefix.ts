import { UsageError } from '../../core/errors.js';
import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, paginateListObjectsV2, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { explained } from './explained.js';
import type { S3Address } from './address.js';

/** So long an address that does not answer is waited for, and a server that has stopped to speak, in milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, socketTimeout: 60_000 };

/** Proves that the prefix can be written, and tells whoever finds it what it is. */
const ABOUT = 'README.txt';

/**
 * What is below a prefix of a bucket, as a folder. Credentials, region, retries and checksums are the AWS SDK's: it reads
 * its usual environment variables and files. Objects are written whole: a reader sees the old one or the new one.
 * Every method throws UsageError that says what S3 answered and what to do.
 */
export class S3Prefix {
  private readonly client: S3Client;

  /** @param signal aborted when the user ends it: what is listed or brought then throws its reason */
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

  /** Names of everything that is recorded, relative to the prefix. */
  list(): Promise<string[]> {
    return this.said(async () => {
      const start = `${this.address.prefix}/`;
      const names: string[] = [];
      const query = { Bucket: this.address.bucket, Prefix: start };
      const pages = paginateListObjectsV2({ client: this.client }, query, this.abortable());
      for await (const { Contents = [] } of pages)
        names.push(...Contents.map(({ Key = '' }) => Key.slice(start.length)));
      // Consoles make an empty object of a "folder"'s name.
      return names.filter((name) => name !== '' && name !== ABOUT && !name.endsWith('/'));
    });
  }

  /** Throws UsageError where nothing can be written. */
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

  /** Brings every object into a folder. */
  async download(folder: string): Promise<void> {
    for (const name of await this.list()) {
      if (!/^[^/\\\0]+(\/[^/\\\0]+)*$/.test(name) || name.split('/').includes('..'))
        throw new UsageError(`${this.address.url}: holds "${name}", which is no name of a file; remove it.`);
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await this.said(async () => {
        const { Body } = await this.client.send(new GetObjectCommand(this.at(name)), this.abortable());
        // What belongs to its owner alone in the folder that was recorded does so here.
        await pipeline(Body as Readable, createWriteStream(file, { mode: 0o600 }), { signal: this.signal });
      });
    }
  }

  /**
   * Writes a file as it is now.
   * @param most bytes of it, for a file that is appended to
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
      throw explained(error, this.address);
    }
  }
}
