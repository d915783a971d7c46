import { createReadStream, existsSync } from 'node:fs';
import { appendFile, lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CannotRecord, UsageError } from '../core/errors.js';

/**
 * What two runs must have in common to be the same, as JSON keeps it: not when they began, nor whether a flag stood in a config
 * file.
 */
export const comparable = (record: object): unknown =>
  JSON.parse(JSON.stringify(record, (key, value: unknown) => (NOT_COMPARED.has(key) ? undefined : value)));

const NOT_COMPARED = new Set(['startedAt', 'configOrigin']);

/** Mode of files that may hold secrets, such as the user's values: only their owner reads them. */
export const OWNER_ONLY = 0o600;
/** Mode of all other files. */
const READABLE = 0o644;

/** The error of a file that cannot be written, and what to do. */
export function cannotWrite(file: string, error: unknown): CannotRecord {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  const todo =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'the disk is full; free some space, or give a folder on another disk with -o. The record so far can still be judged'
      : 'give a writable folder';
  return new CannotRecord(`${file}: cannot be written (${code}): ${todo}.`);
}

/**
 * Writes a file atomically: a reader sees the old or the new one, even if the process is killed. Anything but a regular file,
 * such as /dev/stdout, is written in place.
 * @throws CannotRecord
 */
export async function writeWhole(file: string, content: string, mode = READABLE): Promise<void> {
  const there = await lstat(file).catch(() => undefined);
  const beside = there && !there.isFile() ? file : `${file}.partial`;
  try {
    await writeFile(beside, content, { mode });
    if (beside !== file) await rename(beside, file);
  } catch (error) {
    if (beside !== file) await rm(beside, { force: true }).catch(() => {});
    throw cannotWrite(file, error);
  }
}

/**
 * Appends a line with a JSON value; a partly written line is removed.
 * @throws CannotRecord
 */
export async function appendLine(file: string, value: unknown): Promise<void> {
  try {
    await appendFile(file, `${JSON.stringify(value)}\n`);
  } catch (error) {
    await dropPartialLine(file).catch(() => {});
    throw cannotWrite(file, error);
  }
}

const BLOCK = 64 * 1024;

/** Removes an incomplete last line, so that the next one starts a new line; does nothing if the file does not exist. */
export async function dropPartialLine(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    let end = size;
    while (end > 0) {
      const from = Math.max(0, end - BLOCK);
      const { buffer } = await handle.read(Buffer.alloc(end - from), 0, end - from, from);
      const newline = buffer.lastIndexOf(0x0a);
      end = newline < 0 ? from : from + newline + 1;
      if (newline >= 0) break;
    }
    if (end < size) await handle.truncate(end);
  } finally {
    await handle.close();
  }
}

/** `mkdir -p`, also beside another process that makes it; Node's recursive mkdir never returns on file systems that refuse new folders, such as /proc. */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/**
 * Parses and checks a JSON text.
 * @param where file and line, for the message
 * @throws UsageError that names the place and the first wrong field
 */
export function parsed<T>(text: string, schema: z.ZodType<T>, where: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${where}: is not valid JSON; the record is damaged.`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue!.path.map(String).join('.') || 'the value';
  throw new UsageError(
    `${where}: ${oneLine(field)}: ${oneLine(issue!.message)}; the record is damaged, or from another version.`,
  );
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 200);

/**
 * Reads a file with one JSON value per line. An incomplete last line is ignored; a missing file is read as empty.
 * @param schema of each value; by default any
 * @throws UsageError if the file cannot be read, or a line is damaged
 */
export async function readLines<T>(file: string, schema: z.ZodType<T> = z.custom<T>()): Promise<T[]> {
  const values: T[] = [];
  let number = 0;
  for await (const line of completeLines(file)) {
    number += 1;
    if (line) values.push(parsed(line, schema, `${file}, line ${number}`));
  }
  return values;
}

/** Streams the lines: the samples of a soak of days do not fit into one string. */
async function* completeLines(file: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const lines = chunk.split('\n');
      lines[0] = rest + lines[0];
      rest = lines.pop()!;
      yield* lines;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw code ? new UsageError(`${file}: cannot be read (${code}); give a readable folder.`) : error;
  }
}
