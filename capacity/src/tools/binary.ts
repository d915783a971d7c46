import { execa } from 'execa';
import semver from 'semver';

/** How to install something by hand, by platform. */
export interface InstallWays {
  debian: string;
  fedora: string;
  macos: string;
  docker: string;
}

/** The version that a command prints; undefined if the command is missing or prints none. */
export async function readVersion(command: string, args: string[]): Promise<semver.SemVer | undefined> {
  const result = await execa(command, args, { reject: false, stdin: 'ignore', timeout: 20_000 });
  return result.failed ? undefined : parseVersion(result.stdout);
}

/** The first version in a text: 2.2.0 in `k6 v2.2.0`. The patch may be missing, as in Helm built by `go install`. */
export function parseVersion(text: string): semver.SemVer | undefined {
  const found = /(?:^|[^\w.])(?:v|go)?(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1];
  return (found && semver.coerce(found)) || undefined;
}

/** `command` if it is on PATH with a version in `range`, else undefined. */
export async function findOnPath(command: string, args: string[], range: string): Promise<string | undefined> {
  const version = await readVersion(command, args);
  return version && semver.satisfies(version, range) ? command : undefined;
}

/** Instructions to install something by hand, one line for each platform. */
export function formatInstallWays(ways: InstallWays): string {
  return `  Debian, Ubuntu:  ${ways.debian}\n  Fedora:          ${ways.fedora}\n  macOS:           ${ways.macos}\n  Docker:          ${ways.docker}`;
}
