import { existsSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant } from './ceilings/account';
import { disk } from './ceilings/process';
import { makeDocument } from './document';
import type { Meter } from './meter';
import { ensureTemporaryFolder } from './temporaryFolder';

/** A set of `files` documents of `kilobytes` each, generated from `seed`. */
export interface FileSpec {
  kilobytes: number;
  files: number;
  seed: number;
}

interface FileSet {
  folder: string;
  /** Resolves with whether all files were written. Never rejects. */
  ready: Promise<boolean>;
  /** Number of executions that read from it or wait for it. */
  users: number;
  /** Its reserved disk space. */
  grant: Grant;
}

/** All sets by specification, the longest unused first. */
const sets = new Map<string, FileSet>();
let setsMade = 0;

/** The disk space of a set, in MB. */
export const toMegabytes = ({ kilobytes, files }: FileSpec): number => (kilobytes * files) / 1024;

/**
 * Runs `work` with the path of a prepared document, number `file` of 0 … files-1. The first execution that needs a set
 * prepares it, and its time is charged for that. Others wait for it, and take over if it fails. Sets stay until the process
 * ends or other sets need the space.
 */
export async function withPreparedFile<Result>(
  spec: FileSpec,
  file: number,
  meter: Meter,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const key = JSON.stringify([spec.kilobytes, spec.files, spec.seed]);
  const set = await acquireSet(key, spec, meter);
  const path = pathIn(set.folder, file);
  try {
    return await work(path);
  } finally {
    // If the file was deleted meanwhile, the next execution prepares the set again.
    if (!existsSync(path)) removeSet(key, set);
    set.users -= 1;
  }
}

async function acquireSet(key: string, spec: FileSpec, meter: Meter): Promise<FileSet> {
  for (let set = sets.get(key); set !== undefined; set = sets.get(key)) {
    sets.delete(key);
    sets.set(key, set);
    if (await waitUntilReady(set, meter)) return set;
  }
  return prepareSet(key, spec, meter);
}

/** Waits until the set is prepared. If it is, the caller is counted as a user. */
async function waitUntilReady(set: FileSet, meter: Meter): Promise<boolean> {
  set.users += 1;
  let kept = false;
  try {
    let ready = false;
    await meter.wait(
      set.ready.then((value) => (ready = value)),
      'waiting for another execution to prepare the files',
    );
    kept = ready;
    return ready;
  } finally {
    if (!kept) set.users -= 1;
  }
}

async function prepareSet(key: string, spec: FileSpec, meter: Meter): Promise<FileSet> {
  const folder = join(ensureTemporaryFolder(), `set-${++setsMade}`);
  let settle: (ready: boolean) => void = () => undefined;
  const ready = new Promise<boolean>((resolve) => (settle = resolve));
  const set = { folder, ready, users: 1, grant: reserveDisk(toMegabytes(spec)) };
  sets.set(key, set);
  let complete = false;
  try {
    await mkdir(folder);
    for (let file = 0; file < spec.files; file++) {
      const text = JSON.stringify(makeDocument(spec.seed, file, spec.kilobytes));
      await writeFile(pathIn(set.folder, file), text, { flag: 'wx', mode: 0o600 });
      await meter.pause(`preparing file ${file + 1} of ${spec.files}`);
    }
    complete = true;
    return set;
  } finally {
    if (!complete) removeSet(key, set);
    settle(complete);
  }
}

/** Reserves disk space. If there is not enough, unused sets are removed. */
export function reserveDisk(megabytes: number): Grant {
  for (const [key, set] of sets) {
    if (megabytes <= disk.free) break;
    if (set.users === 0) removeSet(key, set);
  }
  return disk.reserve(megabytes);
}

function removeSet(key: string, set: FileSet): void {
  rmSync(set.folder, { recursive: true, force: true });
  set.grant.close();
  if (sets.get(key) === set) sets.delete(key);
}

const pathIn = (folder: string, file: number): string => join(folder, `${file}.json`);
