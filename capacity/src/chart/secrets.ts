import { randomBytes } from 'node:crypto';
import type { KubernetesObject } from './objects.js';
import { MAKES_SECRET } from './pods.js';

/** A random value, as the chart's Job makes them: safe in a URL, a shell and a configuration file. */
export const randomSecret = (): string => randomBytes(24).toString('hex');

/**
 * The Secrets that the chart's Job would make in the cluster: the value of a key, made on first use and the same from then
 * on; undefined for a Secret that no Job of the render makes.
 */
export function generatedSecrets(objects: KubernetesObject[]): (secret: string, key: string) => string | undefined {
  const values = new Map<string, string>();
  return (secret, key) => {
    if (!objects.some((o) => o.metadata.annotations?.[MAKES_SECRET] === secret)) return undefined;
    const id = `${secret}/${key}`;
    if (!values.has(id)) values.set(id, randomSecret());
    return values.get(id);
  };
}
