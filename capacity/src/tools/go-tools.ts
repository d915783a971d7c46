import { EnvironmentFault } from '../core/errors.js';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runtimesFolder } from '../core/paths.js';
import type { Progress } from '../core/progress.js';
import { onPath, versionOf, waysToInstall, type Ways } from './binary.js';
import { ensureInstalled, type Run } from './install.js';

interface GoTool {
  name: string;
  version: string;
  /** Accepted versions on PATH. */
  range: string;
  versionArgs: string[];
  ways: Ways;
  recipe(): Promise<string>;
  build(folder: string, run: Run): Promise<void>;
}

const K6_VERSION = '2.2.0';
const HELM_VERSION = '4.3.1';
/** Sets the version as Helm's releases do; without it helm prints v4.3. */
const HELM_STAMP = `-X helm.sh/helm/v4/internal/version.version=v${HELM_VERSION}`;

const k6Tool: GoTool = {
  name: 'k6',
  version: K6_VERSION,
  range: '^2.0.0',
  versionArgs: ['version'],
  ways: {
    debian: 'apt-get install k6, from the package repository that k6 documents, or install Go and run make again',
    macos: 'brew install k6',
    docker: `copy /usr/bin/k6 out of the image grafana/k6:${K6_VERSION}`,
  },
  recipe: async () =>
    `${await readFile(join(runtimesFolder, 'k6', 'go.mod'), 'utf8')}${await readFile(join(runtimesFolder, 'k6', 'go.sum'), 'utf8')}`,
  async build(folder, run) {
    await cp(join(runtimesFolder, 'k6'), join(folder, 'source'), { recursive: true });
    await run('go', ['build', '-trimpath', '-o', join(folder, 'k6'), '.'], { cwd: join(folder, 'source'), env: goEnv });
  },
};

const helmTool: GoTool = {
  name: 'helm',
  version: HELM_VERSION,
  range: '^4.0.0',
  versionArgs: ['version', '--short'],
  ways: {
    debian: 'apt-get install helm, from the package repository that Helm documents, or install Go and run make again',
    macos: 'brew install helm',
    docker: `copy /usr/bin/helm out of the image alpine/helm:${HELM_VERSION}`,
  },
  recipe: () => Promise.resolve(`${HELM_VERSION} ${HELM_STAMP}`),
  async build(folder, run) {
    const args = ['install', '-trimpath', '-ldflags', HELM_STAMP, `helm.sh/helm/v4/cmd/helm@v${HELM_VERSION}`];
    await run('go', args, { env: { ...goEnv, GOBIN: folder } });
  },
};

const goEnv = { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };

async function ensureGoTool(tool: GoTool, progress: Progress): Promise<string> {
  const found = await onPath(tool.name, tool.versionArgs, tool.range);
  if (found) return found;
  const install = {
    folder: `tools/${tool.name}`,
    label: `${tool.name} ${tool.version} (built with go, 1-3 min)`,
    recipe: await tool.recipe(),
    needsMiB: 1500,
    build: async (folder: string, run: Run) => {
      if (!(await versionOf('go', ['version']))) throw new EnvironmentFault(missing(tool));
      await tool.build(folder, run);
    },
  };
  return join(await ensureInstalled(install, progress), tool.name);
}

const missing = (tool: GoTool) =>
  `${tool.name} ${tool.range} is not on PATH, and Go, which could build it, is missing. Install ${tool.name}:\n${waysToInstall(tool.ways)}`;

/** k6 from PATH if its version fits, else built once into the cache. Throws EnvironmentFault that says how to install it. */
export const ensureK6 = (progress: Progress): Promise<string> => ensureGoTool(k6Tool, progress);

/** Helm from PATH if its version fits, else built once into the cache. Throws EnvironmentFault. */
export const ensureHelm = (progress: Progress): Promise<string> => ensureGoTool(helmTool, progress);
