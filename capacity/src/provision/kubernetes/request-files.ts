import { UsageError } from '../../core/errors.js';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Plan } from '../../model/plan.js';
import type { Rendered } from './render-release.js';
import type { Cluster } from './cluster.js';
import type { TestRunPod } from './k6-test-run.js';

const NAME = 'n8n-capacity-request';
const FOLDER = '/request';
/** A Secret holds 1 MiB. */
const MOST_BYTES = 1_000_000;

/** Variables of the k6 scripts that name files of this machine. */
const VARIABLES = ['BODY_FILE', 'HEADERS_FILE'] as const;

/** Files that k6 in the cluster gets in a Secret, because headers and body may be secret. */
export interface RequestFiles {
  /** Contents by name in the Secret. */
  files: Map<string, Buffer>;
  /** Environment of the k6 scripts with the paths of the mounted files. */
  scriptEnv: Record<string, string>;
}

/**
 * Reads the files that k6 in the cluster needs; undefined if it needs none.
 * @throws UsageError when they are too large for a Secret
 */
export async function requestFiles({ scriptEnv }: Plan): Promise<RequestFiles | undefined> {
  const read: RequestFiles = { files: new Map(), scriptEnv: {} };
  for (const variable of VARIABLES) {
    const file = scriptEnv[variable];
    if (file === undefined) continue;
    const name = `${variable.toLowerCase().replace('_file', '')}${extname(basename(file))}`;
    read.files.set(name, await readFile(file));
    read.scriptEnv[variable] = `${FOLDER}/${name}`;
  }
  const bytes = [...read.files.values()].reduce((sum, content) => sum + content.length, 0);
  if (bytes > MOST_BYTES)
    throw new UsageError('--body, --headers: are larger than 1 MB, the limit of a Secret; give smaller files.');
  return read.files.size > 0 ? read : undefined;
}

export async function createRequestSecret(cluster: Cluster, namespace: string, { files }: RequestFiles): Promise<void> {
  const data = Object.fromEntries([...files].map(([name, content]) => [name, content.toString('base64')]));
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: NAME, namespace }, data });
}

/** The chart's load test with the Secret mounted. */
export function withRequestFiles({ loadTest, testRun, ...rendered }: Rendered): Rendered {
  const volume = { name: 'request', secret: { secretName: NAME } };
  const mount = { name: 'request', mountPath: FOLDER, readOnly: true };
  const mounted = (pod: TestRunPod): TestRunPod => ({
    ...pod,
    volumes: [...(pod.volumes ?? []), volume],
    volumeMounts: [...(pod.volumeMounts ?? []), mount],
  });
  const { template } = loadTest.spec;
  const [container, ...others] = template.spec.containers;
  const k6 = { ...container!, volumeMounts: [...(container!.volumeMounts ?? []), mount] };
  const spec = { ...template.spec, containers: [k6, ...others], volumes: [...(template.spec.volumes ?? []), volume] };
  return {
    ...rendered,
    loadTest: { ...loadTest, spec: { ...loadTest.spec, template: { ...template, spec } } },
    ...(testRun && {
      testRun: {
        ...testRun,
        spec: {
          ...testRun.spec,
          runner: mounted(testRun.spec.runner),
          ...(testRun.spec.initializer && { initializer: mounted(testRun.spec.initializer) }),
        },
      },
    }),
  };
}
