import { mkdir, writeFile } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import type { Container, Volume } from 'kubernetes-types/core/v1.js';
import { normalizeMountPath } from '../../chart/mount-paths.js';
import type { KubernetesObject } from '../../chart/objects.js';
import { UsageError } from '../../core/errors.js';

/** A mount of a ConfigMap: its path in the container and its folder on this host. */
export interface Mount {
  inContainer: string;
  onHost: string;
}

/**
 * Writes the files of the ConfigMaps that the container mounts below `folder`. A ConfigMap that is not in the render is
 * skipped: the chart mounts such ones as optional.
 */
export async function writeConfigMaps(
  container: Container,
  volumes: Volume[],
  objects: KubernetesObject[],
  folder: string,
): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const { name, mountPath, subPath } of container.volumeMounts ?? []) {
    const wanted = volumes.find((volume) => volume.name === name)?.configMap?.name;
    const configMap = objects.find((o) => o.kind === 'ConfigMap' && o.metadata.name === wanted);
    if (!configMap) continue;
    const onHost = inside(join(folder, 'mounts'), name);
    await mkdir(onHost, { recursive: true });
    for (const [file, text] of Object.entries(configMap.data ?? {})) await writeFile(inside(onHost, file), text);
    mounts.push({
      inContainer: normalizeMountPath(mountPath),
      onHost: subPath === undefined ? onHost : inside(onHost, subPath),
    });
  }
  return mounts;
}

/** The environment with the paths of mounted files on this host: whole values, and those of the options in NODE_OPTIONS. */
export function withPathsOnHost(environment: Record<string, string>, mounts: Mount[]): Record<string, string> {
  const moved = (value: string) => {
    const path = value.startsWith('/') ? posix.normalize(value) : value;
    const mount = mounts.find(({ inContainer }) => path === inContainer || path.startsWith(`${inContainer}/`));
    return mount ? mount.onHost + path.slice(mount.inContainer.length) : value;
  };
  const inOptions = (options: string) =>
    options.replaceAll(/(^|[\s="])(\/[^\s"]+)/g, (all, before: string, path: string) => {
      const onHost = moved(path);
      if (onHost === path) return all;
      return before === '"' ? `"${escaped(onHost)}` : before + quotedForNode(onHost);
    });
  // n8n below 2 splits at colons whatever the separator is.
  const separator = environment.EXTERNAL_HOOK_FILES_SEPARATOR || ':';
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      if (name === 'NODE_OPTIONS') return [name, inOptions(value)];
      if (name === 'EXTERNAL_HOOK_FILES')
        return [name, eachPart(value, ':', (part) => eachPart(part, separator, moved))];
      return [name, moved(value)];
    }),
  );
}

const eachPart = (text: string, separator: string, change: (part: string) => string): string =>
  text.split(separator).map(change).join(separator);

/** A path below a folder; throws if the name leads out of it, which the rules for names should have refused. */
function inside(folder: string, name: string): string {
  const path = join(folder, name);
  if (path.startsWith(`${folder}${sep}`)) return path;
  throw new UsageError(`${JSON.stringify(name)}: leaves the folder of the run; give it a name without "..".`);
}

/** Node splits NODE_OPTIONS at spaces outside of double quotes, in which a backslash escapes. */
const quotedForNode = (path: string) => (/[\s"\\]/.test(path) ? `"${escaped(path)}"` : path);
const escaped = (path: string) => path.replaceAll(/["\\]/g, String.raw`\$&`);
