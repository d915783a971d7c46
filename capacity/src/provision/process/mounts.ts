import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container, Volume } from 'kubernetes-types/core/v1.js';
import type { KubernetesObject } from '../../chart/objects.js';

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
    const onHost = join(folder, 'mounts', name);
    await mkdir(onHost, { recursive: true });
    for (const [file, text] of Object.entries(configMap.data ?? {})) await writeFile(join(onHost, file), text);
    mounts.push({ inContainer: mountPath, onHost: subPath === undefined ? onHost : join(onHost, subPath) });
  }
  return mounts;
}

/** The environment with the paths of mounted files on this host: whole values, and those of the options in NODE_OPTIONS. */
export function withPathsOnHost(environment: Record<string, string>, mounts: Mount[]): Record<string, string> {
  const moved = (value: string) => {
    const mount = mounts.find(({ inContainer }) => value === inContainer || value.startsWith(`${inContainer}/`));
    return mount ? mount.onHost + value.slice(mount.inContainer.length) : value;
  };
  const inOptions = (options: string) =>
    options.replaceAll(/(^|[\s="])(\/[^\s"]+)/g, (all, before: string, path: string) => {
      const onHost = moved(path);
      if (onHost === path) return all;
      return before === '"' ? `"${escaped(onHost)}` : before + quotedForNode(onHost);
    });
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      name === 'NODE_OPTIONS' ? inOptions(value) : moved(value),
    ]),
  );
}

/** Node splits NODE_OPTIONS at spaces outside of double quotes, in which a backslash escapes. */
const quotedForNode = (path: string) => (/[\s"\\]/.test(path) ? `"${escaped(path)}"` : path);
const escaped = (path: string) => path.replaceAll(/["\\]/g, String.raw`\$&`);
