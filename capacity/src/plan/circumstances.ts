import semver from 'semver';
import { describeDeployment } from '../chart/describe.js';
import { adoptForeign } from '../chart/foreign.js';
import { n8nVersion, type KubernetesObject } from '../chart/objects.js';
import { renderedPods } from '../chart/pods.js';
import { renderChart } from '../chart/render.js';
import { deriveCircumstances, type Circumstances } from '../workflow/check/circumstances.js';
import { UsageError } from '../core/errors.js';
import type { Progress } from '../core/progress.js';
import { ensureHelm } from '../tools/programs.js';
import type { ForeignOptions } from './foreign.js';
import { deploymentFrom } from './validate.js';

/**
 * The circumstances of the deployment that flags describe; undefined where they describe none. Nothing is started.
 * @param given `n8n` without another chart is the version for this one
 * @throws UsageError or ChartRefused for what cannot be rendered
 */
export async function circumstancesGiven(
  given: ForeignOptions,
  progress: Progress,
): Promise<Circumstances | undefined> {
  if (Object.values(given).every((value) => value === undefined)) return undefined;
  const { values, foreign } = deploymentFrom(withTag(given));
  const objects = foreign
    ? (await adoptForeign(await helmFor(foreign, progress), foreign, values)).objects
    : await renderChart(await ensureHelm(progress), values);
  return inRender(objects);
}

/** The circumstances of what was rendered. */
const inRender = (objects: KubernetesObject[]): Circumstances =>
  deriveCircumstances(n8nVersion(objects), describeDeployment(renderedPods(objects)));

/** Manifests are rendered already: they need no helm. */
const helmFor = async ({ chart }: { chart?: string }, progress: Progress): Promise<string> =>
  chart === undefined ? '' : ensureHelm(progress);

/** Of this chart, the version is the tag of its image. Throws UsageError. */
function withTag(given: ForeignOptions): ForeignOptions {
  const { n8n, ...others } = given;
  if (n8n === undefined || given.manifests !== undefined || given.chart !== undefined) return given;
  const version = semver.valid(n8n);
  if (version === null) throw new UsageError(`--n8n ${n8n}: is not a version of n8n; write one such as 2.41.1.`);
  return { ...others, setString: [...(others.setString ?? []), `image.tag=${version}`] };
}
