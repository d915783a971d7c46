import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { withDeadline } from '../core/deadline.js';
import { EnvironmentFault, messageOf } from '../core/errors.js';
import type { RunCommand } from './install.js';

/** Where the projects publish their releases. Unless a mirror is set, the tool downloads programs from nowhere else. */
const RELEASE_ADDRESSES = {
  k6: 'https://github.com/grafana/k6/releases/download',
  helm: 'https://get.helm.sh',
} as const;
type ProgramName = keyof typeof RELEASE_ADDRESSES;

/** A platform as `process` names it. */
export interface Platform {
  platform: string;
  arch: string;
}

const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/** The files of a release, relative to the project's address; undefined if there is none for this platform. */
const ASSETS: Record<ProgramName, (version: string, on: Platform) => Asset | undefined> = {
  k6(version, { platform, arch }) {
    const suffix = { linux: `linux-${ARCHITECTURES[arch]}.tar.gz`, darwin: `macos-${ARCHITECTURES[arch]}.zip` }[
      platform
    ];
    if (!suffix || !(arch in ARCHITECTURES)) return undefined;
    return {
      archive: `v${version}/k6-v${version}-${suffix}`,
      checksums: `v${version}/k6-v${version}-checksums.txt`,
      program: `${`k6-v${version}-${suffix}`.replace(/\.(tar\.gz|zip)$/, '')}/k6`,
    };
  },
  helm(version, { platform, arch }) {
    if (!['linux', 'darwin'].includes(platform) || !(arch in ARCHITECTURES)) return undefined;
    const system = `${platform}-${ARCHITECTURES[arch]}`;
    const archive = `helm-v${version}-${system}.tar.gz`;
    return { archive, checksums: `${archive}.sha256sum`, program: `${system}/helm` };
  },
};

/** An archive of a release, the list of SHA-256 sums that names it, and the program in the archive. */
export interface Asset {
  archive: string;
  checksums: string;
  program: string;
}

export const findAsset = (name: ProgramName, version: string, on: Platform = process): Asset | undefined =>
  ASSETS[name](version, on);

/** Set to the address of a mirror with the folders `k6` and `helm`, or to `none`. */
const RELEASES_VARIABLE = 'N8N_TUNED_RELEASES';

/** The release is unavailable: downloads are forbidden, none is published for this platform, or the server does not answer. */
export class NoRelease extends EnvironmentFault {
  override name = 'NoRelease';
}

/** The address of a tool's releases; undefined if downloads are forbidden. */
function releaseAddress(name: ProgramName): string | undefined {
  const mirror = process.env[RELEASES_VARIABLE] ?? '';
  if (mirror === 'none') return undefined;
  return mirror === '' ? RELEASE_ADDRESSES[name] : `${mirror.replace(/\/$/, '')}/${name}`;
}

/** Whether a release of the tool may be downloaded for this platform. Asks no server. */
export const hasRelease = (name: ProgramName, version: string): boolean =>
  releaseAddress(name) !== undefined && findAsset(name, version) !== undefined;

/**
 * Downloads the official release for this platform, checks its SHA-256 sum, and unpacks it.
 * @returns the path of the program, below `folder`
 * @throws NoRelease when it is unavailable and the caller may build it; EnvironmentFault when the checksum does not match
 */
export async function unpackRelease(
  name: ProgramName,
  version: string,
  folder: string,
  run: RunCommand,
  signal: AbortSignal,
): Promise<string> {
  const source = releaseAddress(name);
  const asset = findAsset(name, version);
  if (source === undefined) throw new NoRelease(`${RELEASES_VARIABLE}=none forbids downloads`);
  if (!asset) throw new NoRelease(`${name} ${version} has no release for ${process.platform} ${process.arch}`);
  const fetched = (path: string) => download(`${source}/${path}`, signal);
  const sums = (await fetched(asset.checksums)).toString('utf8');
  const content = await fetched(asset.archive);
  requireChecksum(content, sums, basename(asset.archive), source);
  const archive = join(folder, basename(asset.archive));
  await writeFile(archive, content);
  // tar of macOS reads zip too.
  await run('tar', ['-xf', archive, '-C', folder]);
  return join(folder, asset.program);
}

const DOWNLOAD_MS = 300_000;

async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await withDeadline(DOWNLOAD_MS, (either) => fetchContent(url, either), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new NoRelease(`${url}: ${messageOf(error instanceof Error && error.cause ? error.cause : error)}`);
  }
}

async function fetchContent(url: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

/** Throws EnvironmentFault unless the list gives this sum for this file. */
function requireChecksum(content: Buffer, sums: string, file: string, source: string): void {
  const expected = sums
    .split('\n')
    .map((line) => /^([0-9a-f]{64})\s+\*?(\S+)$/i.exec(line.trim()))
    .find((match) => match?.[2] === file)?.[1];
  const actual = createHash('sha256').update(content).digest('hex');
  if (expected?.toLowerCase() === actual) return;
  throw new EnvironmentFault(
    `${file} from ${source} ${expected === undefined ? 'is not in the list of checksums' : `has the checksum ${actual}, not ${expected}`}. ` +
      `It was not installed. Try again later, or set ${RELEASES_VARIABLE}=none to build it with Go.`,
  );
}
