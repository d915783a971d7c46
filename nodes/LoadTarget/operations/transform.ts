import { createHash, randomInt, randomUUID } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { CeilingError, ceilings } from '../ceilings/ceiling';
import { memory, withMegabytes } from '../ceilings/process';
import { DOCUMENT_MEMORY, makeDocument } from '../document';
import { measureIdentity } from '../identity';
import { Meter } from '../meter';
import { operation } from '../operation';
import { readKilobytes, readSeed } from '../parameters';
import { readChoice, readNumber } from '../../shared/parameters';
import { toMegabytes, reserveDisk, withPreparedFile, type FileSpec } from '../preparedFiles';
import { ensureTemporaryFolder } from '../temporaryFolder';

type Transform = FileSpec & { mode: 'generate' | 'read' | 'write' };

/**
 * The largest document, in MB: the most that a webhook accepts by default (`N8N_PAYLOAD_SIZE_MAX`). Each step on it blocks
 * the process, at this size for some tenths of a second. At 64 MB it would block for longer than a probe waits.
 */
const MAX_MEGABYTES = 16;

/** Highest memory use while a document is transformed, as a factor of its size: twice as objects, twice as text. */
const WORKING_MEMORY = 2 * DOCUMENT_MEMORY + 2;

/**
 * Transform JSON: the usual work of workflows, on a JSON document of `kilobytes`. Between steps (generate, serialise, parse,
 * read, write) other work can run.
 *
 * `generate` generates a document, serialises it, parses the text and serialises it again. `read` reads one of `files`
 * prepared documents in the node's temporary folder, parses it and serialises it. `write` generates a document, writes it to
 * a file of its own there, and deletes the file. The write goes to the cache of the system; it does not wait for the disk.
 *
 * The checksum is the SHA-256 of the last text. For `generate` and `write`, the same seed and size give the same checksum in
 * every process.
 */
export const transform = operation<Transform>({
  properties: [
    {
      displayName: 'Mode',
      name: 'transformMode',
      type: 'options',
      displayOptions: { show: { operation: ['transform'] } },
      options: [
        { name: 'Generate', value: 'generate', description: 'Generate a document, serialise, parse and serialise it' },
        { name: 'Read', value: 'read', description: 'Read one of the prepared files, parse and serialise it' },
        { name: 'Write', value: 'write', description: 'Generate a document, write it to a file and delete the file' },
      ],
      default: 'generate',
    },
    {
      displayName: 'Kilobytes',
      name: 'kilobytes',
      type: 'number',
      typeOptions: { minValue: 1 },
      displayOptions: { show: { operation: ['transform'] } },
      default: 100,
      description: 'Size of the document, in kB of 1,024 bytes. At most 16,384.',
    },
    {
      displayName: 'Files',
      name: 'files',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: 100 },
      displayOptions: { show: { operation: ['transform'], transformMode: ['read'] } },
      default: 10,
      description:
        'How many files to prepare, once in each process. Each item reads one of them at random. At most 100.',
    },
    {
      displayName: 'Seed',
      name: 'seed',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['transform'] } },
      default: 1,
      description: 'Start of the pseudo-random content. The same seed gives the same documents.',
    },
  ],

  read(parameter) {
    const mode = readChoice('Mode', parameter('transformMode'), ['generate', 'read', 'write']);
    const kilobytes = readKilobytes(parameter, MAX_MEGABYTES, `the largest document has ${MAX_MEGABYTES} MB`);
    const seed = readSeed(parameter);
    const files = mode === 'read' ? readNumber('Files', parameter('files'), { min: 1, max: 100, integer: true }) : 1;
    if (mode !== 'generate' && toMegabytes({ kilobytes, files, seed }) > ceilings.diskMegabytes.value) {
      throw new CeilingError(ceilings.diskMegabytes, `${files} files of ${kilobytes} kB are too much`);
    }
    return { mode, kilobytes, seed, files };
  },

  costs: () => ({}),

  execute: (parameters, { time, signal }) =>
    withMegabytes(memory, (parameters.kilobytes / 1024) * WORKING_MEMORY, async () => {
      const meter = new Meter(time, signal);
      const { text, ...details } = await work[parameters.mode](parameters, meter);
      const sha256 = createHash('sha256').update(text).digest('hex');
      await meter.pause('hashing');
      const { mode, kilobytes, seed } = parameters;
      return { mode, kilobytes, seed, bytes: text.length, sha256, ...details, identity: await measureIdentity() };
    }),
});

/** The work of a mode. `text` is the last text of the document, in ASCII. */
type Work = (parameters: Transform, meter: Meter) => Promise<{ text: string } & IDataObject>;

const work: Record<Transform['mode'], Work> = {
  async generate(parameters, meter) {
    return { text: await reserialise(await generate(parameters, meter), meter) };
  },

  async read(parameters, meter) {
    const file = randomInt(parameters.files);
    return withPreparedFile(parameters, file, meter, async (path) => {
      const text = await readFile(path, 'utf8');
      await meter.pause('reading');
      return { text: await reserialise(text, meter), files: parameters.files, file };
    });
  },

  async write(parameters, meter) {
    const text = await generate(parameters, meter);
    const path = join(ensureTemporaryFolder(), `${randomUUID()}.json`);
    const grant = reserveDisk(parameters.kilobytes / 1024);
    try {
      await writeFile(path, text, { flag: 'wx', mode: 0o600 });
      await meter.pause('writing');
      const { size } = await stat(path);
      return { text, fileBytes: size };
    } finally {
      await rm(path, { force: true });
      grant.close();
    }
  },
};

async function generate({ seed, kilobytes }: Transform, meter: Meter): Promise<string> {
  const document = makeDocument(seed, 0, kilobytes);
  await meter.pause('generating');
  const text = JSON.stringify(document);
  await meter.pause('serialising');
  return text;
}

async function reserialise(text: string, meter: Meter): Promise<string> {
  const document: unknown = JSON.parse(text);
  await meter.pause('parsing');
  const again = JSON.stringify(document);
  await meter.pause('serialising');
  return again;
}
