import { createReadStream, existsSync } from 'node:fs';
import { appendFile, lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CannotRecord, UsageError } from '../core/errors.js';

/** What an error of the file system means for a file that is to be written, and what to do. */
export function cannotWrite(file: string, error: unknown): CannotRecord {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  const todo =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'the disk is full; free some of it, or give a folder on another with -o. What was recorded until then can be judged'
      : 'give a folder that can';
  return new CannotRecord(`${file}: cannot be written (${code}): ${todo}.`);
}

/**
 * Writes a file whole: a reader sees the old one or the new one, whenever this process is ended. What is there and is no file
 * of its own, as /dev/stdout, is written into.
 * @throws CannotRecord
 */
export async function writeWhole(file: string, content: string, mode = 0o644): Promise<void> {
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
 * Appends a line with a JSON value; where the disk took only a part of it, that is taken back.
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

/** Removes a last line that was cut off, so that what is appended is a line of its own; does nothing where there is no file. */
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

/** `mkdir -p`; Node's own recursive mkdir never returns where a file system refuses new folders, as /proc does. */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}

const asItIs = (value: unknown): unknown => value;

/**
 * The value that a JSON text holds.
 * @param where file, and line, for the message
 * @param upgrade makes a value of today of one that an older version has written
 * @throws UsageError that names them and the first field that is wrong
 */
export function parsed<T>(text: string, schema: z.ZodType<T>, where: string, upgrade = asItIs): T {
  let value: unknown;
  try {
    value = upgrade(JSON.parse(text));
  } catch {
    throw new UsageError(`${where}: is not valid JSON; the record was damaged after it was written.`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue!.path.map(String).join('.') || 'the value';
  throw new UsageError(
    `${where}: ${oneLine(field)}: ${oneLine(issue!.message)}; the record was damaged, or another version has written it.`,
  );
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 200);

/**
 * The values of a file with one JSON value a line; a last line that was cut off is left out, and no file is an empty one.
 * @param schema what each of them must be; anything when absent
 * @throws UsageError when it cannot be read, or a line of it cannot be understood
 */
export async function readLines<T>(file: string, schema: z.ZodType<T> = z.custom<T>(), upgrade = asItIs): Promise<T[]> {
  const values: T[] = [];
  let number = 0;
  for await (const line of completeLines(file)) {
    number += 1;
    if (line) values.push(parsed(line, schema, `${file}, line ${number}`, upgrade));
  }
  return values;
}

/** Of a file of any length: the samples of a soak of days do not fit into one string. */
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
    throw code ? new UsageError(`${file}: cannot be read (${code}); give a folder that can.`) : error;
  }
}
