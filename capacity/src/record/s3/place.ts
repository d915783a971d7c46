import { UsageError } from '../../core/errors.js';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isS3, s3Address, type S3Address, type S3Options } from './address.js';
import { Mirror, RECORDS } from './mirror.js';
import type { S3Prefix } from './prefix.js';

/** The SDK takes 0.2 s to load: only where it is used. */
async function prefixAt(address: S3Address, signal?: AbortSignal): Promise<S3Prefix> {
  // It tells whoever runs Node 20 of versions of itself that are still to come.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return new (await import('./prefix.js')).S3Prefix(address, signal);
}

/**
 * A mirror of a folder into which a new run will be recorded.
 * @throws UsageError when the prefix holds anything, cannot be written, or S3 cannot be reached
 */
export async function mirrorOfRun(address: S3Address, folder: string, say: (line: string) => void): Promise<Mirror> {
  const s3 = await prefixAt(address);
  refuseTaken(await s3.list(), address);
  await s3.requireWritable();
  return new Mirror(folder, s3, say);
}

/** A mirror of a folder of many runs, as `mirrorOfRun` is of one. */
type MirrorOf = typeof mirrorOfRun;

/**
 * A mirror of a folder of many runs, which goes on where it was: where the prefix holds it and this machine does not, it is
 * brought here first.
 * @param marker the file that says what it is
 * @throws UsageError when the prefix holds something else, or has gone on elsewhere
 */
const mirrorOfMany =
  (marker: string): MirrorOf =>
  async (address, folder, say) => {
    const s3 = await prefixAt(address);
    const names = await s3.list();
    if (!names.includes(marker)) refuseTaken(names, address);
    else if (existsSync(join(folder, marker))) await requireContinued(s3, names, folder);
    else if (existsSync(folder))
      throw new UsageError(`${folder}: is not what is in ${address.url}; remove it, and that is brought here.`);
    else await bring(s3, folder);
    await s3.requireWritable();
    return new Mirror(folder, s3, say);
  };

export const mirrorOfSweep = mirrorOfMany('sweep.json');
export const mirrorOfExperiment = mirrorOfMany('experiment.json');

/**
 * Copies a recorded folder into S3; what an interrupted copy of it has left there is completed.
 * @throws UsageError when the folder holds no record, or the prefix holds another
 */
export async function uploadFolder(folder: string, address: S3Address): Promise<void> {
  if (!RECORDS.some((name) => existsSync(join(folder, name))))
    throw new UsageError(
      `${folder}: holds no ${RECORDS.join(' and no ')}; give a folder that n8n-capacity has written.`,
    );
  const s3 = await prefixAt(address);
  const names = await s3.list();
  if (names.some((name) => RECORDS.includes(name))) await requireContinued(s3, names, folder);
  else refuseTaken(names, address);
  await s3.requireWritable();
  await new Mirror(folder, s3, () => {}).end();
}

/** Folders with what is recorded at places, in their order. */
export interface Copies {
  folders: string[];
  /** A text in which the places stand, and not their copies. */
  named: (text: string) => string;
}

/**
 * Runs `work` on what is recorded at places: on a folder itself, on a temporary copy of what is in S3. The copies are removed
 * however it ends; what it throws names the places.
 * @param signal aborted when the user ends it: what is still being brought then ends with its reason
 * @throws UsageError when a place in S3 holds no record, or cannot be read
 */
export async function withCopies<T>(
  places: string[],
  options: S3Options,
  signal: AbortSignal,
  work: (copies: Copies) => Promise<T>,
): Promise<T> {
  const addresses = places.map((place) => (isS3(place) ? s3Address(place, options) : undefined));
  if (!addresses.some(Boolean)) return work({ folders: places, named: (text) => text });
  const all = await temporaryFolder();
  const remove = () => rmSync(all, { recursive: true, force: true });
  const folders: string[] = [];
  const named = (text: string) =>
    folders.reduce((told, folder, i) => told.replaceAll(folder, () => addresses[i]?.url ?? folder), text);
  // A second Ctrl-C ends this process at once.
  process.once('exit', remove);
  try {
    for (const [i, address] of addresses.entries())
      folders.push(address ? await copyInto(join(all, `${i}`), address, signal) : places[i]!);
    return await work({ folders, named });
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(named(error.message)) : error;
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/**
 * A folder with what is recorded at a place: itself, or a new temporary one with what is in S3, which stays.
 * @throws UsageError as `withCopies` does
 */
export async function localCopy(place: string, options: S3Options): Promise<string> {
  if (!isS3(place)) return place;
  const address = s3Address(place, options);
  const parent = await temporaryFolder();
  return copyInto(parent, address).catch(async (error: unknown) => {
    await rm(parent, { recursive: true });
    throw error;
  });
}

const temporaryFolder = () => mkdtemp(join(tmpdir(), 'n8n-capacity-s3-'));

/** Brings a record into a new folder below `parent`, which has the name of its prefix. */
async function copyInto(parent: string, address: S3Address, signal?: AbortSignal): Promise<string> {
  const s3 = await prefixAt(address, signal);
  if (!(await s3.list()).some((name) => RECORDS.includes(name)))
    throw new UsageError(
      `${address.url}: holds no ${RECORDS.join(' and no ')}; give a prefix that a run was recorded in.`,
    );
  const folder = join(parent, basename(address.prefix));
  await s3.download(folder);
  return folder;
}

function refuseTaken(names: string[], { url }: S3Address): void {
  if (names.some((name) => RECORDS.includes(name)))
    throw new UsageError(`${url}: holds a run already; give another prefix, or remove it.`);
  if (names.length > 0)
    throw new UsageError(`${url}: holds ${names.length} objects already, as ${names[0]}; give a prefix of its own.`);
}

/** Throws UsageError unless everything that the prefix says of steps and outcomes is in the folder, too. */
async function requireContinued(s3: S3Prefix, names: string[], folder: string): Promise<void> {
  const telling = names.filter((name) => RECORDS.includes(name) || /(^|\/)(steps|outcomes)\.ndjson$/.test(name));
  for (const name of telling) {
    const there = await s3.text(name);
    const here = await readFile(join(folder, name), 'utf8').catch(() => '');
    const complete = name.endsWith('.ndjson') ? there.slice(0, there.lastIndexOf('\n') + 1) : there;
    if (here.startsWith(complete)) continue;
    throw new UsageError(
      `${s3.address.url}: its ${name} is not that of ${folder}: it is another one, or has gone on elsewhere. ` +
        'Give another prefix, or remove that folder to go on from what is in S3.',
    );
  }
}

/** Downloads into a folder that is there when it is whole. */
async function bring(s3: S3Prefix, folder: string): Promise<void> {
  const beside = `${folder}.partial`;
  await rm(beside, { recursive: true, force: true });
  await s3.download(beside);
  await rename(beside, folder);
}
