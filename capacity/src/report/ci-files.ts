import { UsageError } from '../core/errors.js';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolder, writeWhole } from '../record/files.js';

/** Files for a CI job. */
export interface CiFiles {
  /** Paths; undefined: not written. */
  junit?: string;
  markdown?: string;
}

/** Flags of the commands that write the files. */
export const JUNIT_OPTION = ['--junit <file>', 'also write the verdict as JUnit XML, for CI'] as const;
export const MARKDOWN_OPTION = [
  '--markdown <file>',
  'also write the verdict as Markdown, for the summary of a CI job',
] as const;

/**
 * Makes the folders of the files. Called before a run, so that a path that cannot be written is refused at once.
 * @throws UsageError if a file cannot be written
 */
export async function prepareCiFiles({ junit, markdown }: CiFiles): Promise<void> {
  await prepareFile('--junit', junit);
  await prepareFile('--markdown', markdown);
}

/** Makes the folder of a file that a flag names; nothing without a file. Throws UsageError if it cannot be written. */
export async function prepareFile(flag: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const folder = dirname(resolve(file));
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${flag} ${file}: cannot make its folder (${error.code}). Give a path that can be written.`);
  });
  if (!statSync(folder).isDirectory())
    throw new UsageError(`${flag} ${file}: ${folder} is a file. Give a path in a folder.`);
  if (existsSync(file) && statSync(file).isDirectory())
    throw new UsageError(`${flag} ${file}: this is a folder. Give the path of a file.`);
}

/** A record in the formats of CI. A format is rendered only if its file was requested. */
export interface CiReports {
  junit: () => string;
  markdown: () => string;
}

/** Writes the files that were asked for. Throws CannotRecord. */
export async function writeCiFiles({ junit, markdown }: CiFiles, reports: CiReports): Promise<void> {
  if (junit !== undefined) await writeWhole(junit, reports.junit());
  if (markdown !== undefined) await writeWhole(markdown, reports.markdown());
}
