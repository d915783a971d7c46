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
  return result.failed ? undefined : (semver.coerce(result.stdout) ?? undefined);
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
