import type { SweepConclusion } from '../model/sweep.js';
import type { Slo } from '../model/plan.js';
import { UsageError } from '../core/errors.js';
import type { RunConclusion } from '../model/verdict.js';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolder, writeWhole } from '../record/files.js';
import { runAsJunit, sweepAsJunit } from './junit.js';
import { runAsMarkdown, sweepAsMarkdown } from './markdown.js';

/** Files that a CI job reads, beside what is printed. */
export interface CiFiles {
  /** Paths; absent: not written. */
  junit?: string;
  markdown?: string;
}

/** Flags of the commands that write them. */
export const JUNIT_OPTION = ['--junit <file>', 'write the verdict as JUnit XML too, for CI'] as const;
export const MARKDOWN_OPTION = [
  '--markdown <file>',
  'write the verdict as Markdown too, for the summary of a CI job',
] as const;

/**
 * Makes the folders of the files, before anything runs: after an hour is a bad time to find that one cannot be written.
 * @throws UsageError
 */
export async function prepareCiFiles({ junit, markdown }: CiFiles): Promise<void> {
  for (const [flag, file] of [
    ['--junit', junit],
    ['--markdown', markdown],
  ] as const) {
    if (file === undefined) continue;
    const folder = dirname(resolve(file));
    await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(
        `${flag} ${file}: its folder cannot be made (${error.code}); give a path that can be written.`,
      );
    });
    if (!statSync(folder).isDirectory())
      throw new UsageError(`${flag} ${file}: ${folder} is a file; give a path in a folder.`);
    if (existsSync(file) && statSync(file).isDirectory())
      throw new UsageError(`${flag} ${file}: is a folder; give the path of a file.`);
  }
}

/** Writes what was asked for of a run. Throws UsageError. */
export async function writeRunFiles(files: CiFiles, conclusion: RunConclusion, slo: Slo): Promise<void> {
  await write(files.junit, () => runAsJunit(conclusion.verdict, slo));
  await write(files.markdown, () => runAsMarkdown(conclusion));
}

/** Writes what was asked for of a sweep. Throws UsageError. */
export async function writeSweepFiles(files: CiFiles, conclusion: SweepConclusion): Promise<void> {
  await write(files.junit, () => sweepAsJunit(conclusion));
  await write(files.markdown, () => sweepAsMarkdown(conclusion));
}

async function write(file: string | undefined, content: () => string): Promise<void> {
  if (file !== undefined) await writeWhole(file, content());
}
