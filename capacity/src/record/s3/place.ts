import { UsageError } from '../../core/errors.js';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isS3, s3Address, type S3Address, type S3Options } from './address.js';
import { declareMarker, isMarker, knownMarkers } from '../markers.js';
import { Mirror, type UploadLater } from './mirror.js';
import type { S3Prefix } from './prefix.js';
import { FILES } from '../names.js';

/** Loads the SDK, which takes 0.2 s, only if S3 is used. */
async function prefixAt(address: S3Address, signal?: AbortSignal): Promise<S3Prefix> {
  // On Node 20 the SDK warns that its future versions will need a newer Node.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return new (await import('./prefix.js')).S3Prefix(address, signal);
}

/**
 * A mirror of the folder of a new run.
 * @throws UsageError if the prefix is not empty or not writable, EnvironmentFault if S3 cannot be reached or fails
 */
export async function mirrorOfRun(address: S3Address, folder: string, say: (line: string) => void): Promise<Mirror> {
  const s3 = await prefixAt(address);
  refuseTaken(await s3.list(), address);
  await s3.requireWritable();
  return new Mirror(folder, s3, say, true);
}

/** As `mirrorOfRun`, for a folder of several runs. */
type MirrorOf = typeof mirrorOfRun;

/**
 * A mirror of a folder of several runs that can be continued: if the prefix holds the folder and this machine does not, it is
 * downloaded first.
 * @param command that writes such a folder, such as `sweep`
 * @param uploadLater what to do when the copy could not be completed
 * @throws UsageError if the prefix holds something else, or was continued elsewhere
 */
export function mirrorOfRecord(command: string, uploadLater?: UploadLater): MirrorOf {
  const marker = declareMarker(command);
  return async (address, folder, say) => {
    const s3 = await prefixAt(address);
    const names = await s3.list();
    if (!names.includes(marker)) refuseTaken(names, address);
    else if (existsSync(join(folder, marker))) await requireContinued(s3, names, folder);
    else if (existsSync(folder))
      throw new UsageError(
        `${folder}: is not the record in ${address.url}; remove the folder to download that record.`,
      );
    else await downloadFolder(s3, folder);
    await s3.requireWritable();
    return new Mirror(folder, s3, say, !names.includes(marker), uploadLater);
  };
}

/**
 * Uploads a recorded folder to S3, or completes an interrupted upload of it.
 * @throws UsageError if the folder holds no record, or the prefix holds another one
 */
export async function uploadFolder(folder: string, address: S3Address): Promise<void> {
  if (!knownMarkers().some((name) => existsSync(join(folder, name))))
    throw new UsageError(
      `${folder}: holds no record (${knownMarkers().join(', ')}); give a folder written by n8n-capacity.`,
    );
  const s3 = await prefixAt(address);
  const names = await s3.list();
  if (names.some(isMarker)) await requireContinued(s3, names, folder);
  else refuseTaken(names, address);
  await s3.requireWritable();
  await new Mirror(folder, s3, () => {}, !names.some(isMarker)).end();
}

/** Local folders with the records of places, in the order of the places. */
export interface Copies {
  folders: string[];
  /** The text with each local copy's path replaced by its place. */
  named: (text: string) => string;
}

/**
 * Runs `work` on the records of places: on folders directly, on temporary copies of places in S3. The copies are always
 * removed; the messages of its UsageErrors name the places.
 * @param signal aborted when the user ends the command: downloads then throw its reason
 * @throws UsageError if a place in S3 holds no record, EnvironmentFault if S3 cannot be reached or fails
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
  // A second Ctrl-C ends the process without `finally`.
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
 * The local folder of a place: the folder itself, or a temporary copy of a place in S3, which is not removed.
 * @throws UsageError and EnvironmentFault as `withCopies` does
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

/** Downloads a record into a new folder below `parent`, named like its prefix. */
async function copyInto(parent: string, address: S3Address, signal?: AbortSignal): Promise<string> {
  const s3 = await prefixAt(address, signal);
  if (!(await s3.list()).some(isMarker))
    throw new UsageError(
      `${address.url}: holds no record (${knownMarkers().join(', ')}); give the prefix of a recorded run.`,
    );
  const folder = join(parent, basename(address.prefix));
  await s3.download(folder);
  return folder;
}

function refuseTaken(names: string[], { url }: S3Address): void {
  if (names.some(isMarker)) throw new UsageError(`${url}: already holds a record; give another prefix, or remove it.`);
  if (names.length > 0)
    throw new UsageError(`${url}: already holds ${names.length} objects, such as ${names[0]}; give an empty prefix.`);
}

/** Throws UsageError unless the folder holds all steps, outcomes, trials and finished runs of the prefix. */
async function requireContinued(s3: S3Prefix, names: string[], folder: string): Promise<void> {
  for (const name of names.filter((each) => mustContinue(each, names))) {
    const there = await s3.text(name);
    const here = await readFile(join(folder, name), 'utf8').catch(() => '');
    const complete = name.endsWith('.ndjson') ? there.slice(0, there.lastIndexOf('\n') + 1) : there;
    if (here.startsWith(complete)) continue;
    throw new UsageError(
      `${s3.address.url}: its ${name} differs from that of ${folder}: it is another record, or was continued elsewhere. ` +
        'Give another prefix, or remove the folder to continue from S3.',
    );
  }
}

/** Files with a line for each step, run or trial that has ended. */
const LINES: string[] = [FILES.steps, FILES.outcomes, FILES.trials];
/** Files that are written at the end of a run of several. */
const ENDS = [FILES.verdict, FILES.cell];

/**
 * Whether a folder that continues this one must hold the file. A run of several that was interrupted begins anew when they are
 * continued: the folder then holds less of it than the prefix, or other steps.
 */
function mustContinue(name: string, names: string[]): boolean {
  if (dirname(name) === '.') return isMarker(name) || LINES.includes(name);
  return basename(name) === FILES.steps && ENDS.some((end) => names.includes(join(dirname(name), end)));
}

/** Downloads into a folder that appears once it is complete. */
async function downloadFolder(s3: S3Prefix, folder: string): Promise<void> {
  const beside = `${folder}.partial`;
  await rm(beside, { recursive: true, force: true });
  await s3.download(beside);
  await rename(beside, folder);
}
