import { basename, join } from 'node:path';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { ensureInstalled } from '../../capacity/src/tools/install.js';

/**
 * Returns the file of a Go program that tests use. The first call builds it from the Go module proxy.
 * @param what description of the program, for the progress
 */
export async function ensureGoProgram(path: string, version: string, what: string): Promise<string> {
  const name = basename(path);
  const module = `${path}@v${version}`;
  const folder = await ensureInstalled(
    {
      folder: `tools/${name}`,
      label: `${name} ${version} (${what} for tests, built with go, 1-3 min)`,
      recipe: module,
      needsMiB: 1500,
      build: (target, run) =>
        run('go', ['install', '-trimpath', module], {
          env: { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false', GOBIN: target },
        }),
    },
    terminalProgress(true),
  );
  return join(folder, name);
}
