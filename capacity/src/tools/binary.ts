import { execa } from 'execa';
import semver from 'semver';

/** Where the ways to install something by hand differ. */
export interface Ways {
  debian: string;
  macos: string;
  docker: string;
}

/** The version a command prints, or undefined when there is no such command or it prints none. */
export async function versionOf(command: string, args: string[]): Promise<semver.SemVer | undefined> {
  const result = await execa(command, args, { reject: false, stdin: 'ignore', timeout: 20_000 });
  return result.failed ? undefined : versionIn(result.stdout);
}

/** The first version in a text: of `k6 v2.2.0` it is 2.2.0, not the 6. Helm built by `go install` leaves its patch out. */
export function versionIn(text: string): semver.SemVer | undefined {
  const found = /(?:^|[^\w.])(?:v|go)?(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1];
  return (found && semver.coerce(found)) || undefined;
}

/** `command` when it is on PATH and its version is in `range`. */
export async function onPath(command: string, args: string[], range: string): Promise<string | undefined> {
  const version = await versionOf(command, args);
  return version && semver.satisfies(version, range) ? command : undefined;
}

/** The lines that tell a person how to install what could not be installed for them. */
export function waysToInstall(ways: Ways): string {
  return `  Debian:  ${ways.debian}\n  macOS:   ${ways.macos}\n  Docker:  ${ways.docker}`;
}
