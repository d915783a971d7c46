import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '../../chart/objects.js';
import { scratchFolder } from '../leftovers.js';

/** Reads the objects from a file, whose braces are not for helm. */
const TEMPLATE = '{{ .Files.Get "objects.yaml" }}\n';
const CHART = 'apiVersion: v2\nname: other-chart\nversion: 0.0.0\n';

/**
 * Objects as a chart in a temporary folder, so that helm installs them in order, waits for them and removes them.
 * @returns the folder, which holds what is secret in the objects: remove it after the installation
 */
export async function asChart(objects: KubernetesObject[], namespace: string): Promise<string> {
  const folder = await scratchFolder();
  await mkdir(join(folder, 'templates'));
  const documents = objects.map((object) => JSON.stringify(inNamespace(object, namespace)));
  await Promise.all([
    writeFile(join(folder, 'Chart.yaml'), CHART),
    writeFile(join(folder, 'objects.yaml'), documents.join('\n---\n'), { mode: 0o600 }),
    writeFile(join(folder, 'templates', 'objects.yaml'), TEMPLATE),
  ]);
  return folder;
}

/** Of a RoleBinding: who gets the role. */
interface Subjects {
  subjects?: { kind: string; name: string; namespace?: string }[];
}

/** The object in a namespace; objects of the whole cluster are not rendered. */
function inNamespace(object: KubernetesObject & Subjects, namespace: string): KubernetesObject & Subjects {
  const { subjects, metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, namespace },
    ...(subjects && { subjects: subjects.map((subject) => ({ ...subject, namespace })) }),
  };
}
