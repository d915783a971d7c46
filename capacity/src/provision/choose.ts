import { advisoriesFor } from '../chart/advisories.js';
import { exposureText } from '../chart/exposure-text.js';
import type { Plan } from '../model/plan.js';
import type { ProvisionerName } from '../model/run.js';
import { throwIfProblems } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { wholeNumber } from '../plan/quantities.js';
import { flag } from '../plan/options.js';
import { didYouMean } from '../core/did-you-mean.js';
import type { Provisioner } from '../model/deployment.js';
import { existing } from './existing/existing-provisioner.js';
import type { TargetOptions } from './existing/target.js';
import { kubernetes, type KubernetesChoice } from './kubernetes/kubernetes-provisioner.js';
import { processes } from './process/process-provisioner.js';
import { tellOnce } from './tell-once.js';

/** The flags that say where to deploy and what drives it, as commander hands them over. */
export interface WhereOptions extends TargetOptions {
  provisioner?: string;
  kubeContext?: string;
  generators?: string;
  cpuProfile?: boolean;
}

/** The chosen provisioner. */
export interface Where {
  name: ProvisionerName;
  provisioner: Provisioner;
  /** Whether k6 runs on this machine. */
  k6Here: boolean;
}

/** The names that `--provisioner` takes. */
export const PROVISIONERS: ProvisionerName[] = ['process', 'kubernetes', 'existing'];

/** Flags that only one provisioner takes. */
const ONLY_WITH: Record<string, (keyof WhereOptions)[]> = {
  process: ['cpuProfile'],
  kubernetes: ['kubeContext', 'generators'],
  existing: ['url', 'metricsUrl', 'redisUrl', 'postgresUrl', 'allowHttp'],
};

/** @throws UsageError when the flags contradict each other */
export function choosePlace(options: WhereOptions): Where {
  const { provisioner: given = 'process' } = options;
  const name = PROVISIONERS.find((known) => known === given);
  if (!name)
    throw new UsageError(
      `--provisioner ${given}: does not exist${didYouMean(given, PROVISIONERS)} Allowed are ${PROVISIONERS.join(', ')}.`,
    );
  throwIfProblems(
    Object.entries(ONLY_WITH).flatMap(([owner, flags]) =>
      (owner === name ? [] : flags.filter((key) => options[key] !== undefined)).map(
        (key) => `${flag(key)}: only with --provisioner ${owner}.`,
      ),
    ),
  );
  if (name === 'process') return { name, provisioner: saying(processes), k6Here: true };
  if (name === 'existing') return { name, provisioner: saying(existing(options)), k6Here: true };
  return { name, provisioner: saying(kubernetes(kubernetesChoice(options))), k6Here: false };
}

/** Says at the head of a run which public vulnerabilities the n8n of its values has, once for each version. */
const saying = (provisioner: Provisioner): Provisioner => ({
  ...provisioner,
  async prepare(plan, progress) {
    const prepared = await provisioner.prepare(plan, progress);
    const exposure = advisoriesFor(prepared.record.askedVersion ?? prepared.versions.n8n);
    if (exposure) tellOnce([exposureText(exposure)], progress);
    return prepared;
  },
});

/** Throws UsageError if another chart's n8n is to be deployed where nothing is. */
export function refuseForeign({ foreign }: Pick<Plan, 'foreign'>, { name }: Pick<Where, 'name'>): void {
  if (foreign && name === 'existing')
    throw new UsageError(
      '--provisioner existing: drives what runs at --url, and deploys no manifests and no chart; omit those.',
    );
}

/** For commands that must deploy n8n: throws UsageError with `why` for `--provisioner existing`. */
export const refuseExisting = (why: string) => (provisioner: string) => {
  if (provisioner === 'existing') throw new UsageError(`--provisioner existing: ${why}`);
};

function kubernetesChoice({ kubeContext, generators }: WhereOptions): KubernetesChoice {
  const count = generators === undefined ? 1 : wholeNumber(generators, '--generators', 1, 1000);
  return {
    generators: count,
    ...(kubeContext !== undefined && { context: kubeContext }),
  };
}
