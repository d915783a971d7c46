import type { StepLoad } from '../../model/generator.js';
import { buildScriptEnvironment, scriptName } from '../../load/k6.js';
import type { JobSpec } from 'kubernetes-types/batch/v1.js';
import type { EnvVar, PodSpec } from 'kubernetes-types/core/v1.js';
import { COMPONENT_LABEL, type KubernetesObject } from '../../chart/objects.js';
import { INSTANCE_LABEL, RELEASE } from './release.js';

/** Where k6 writes in its pod. */
export const RESULTS = '/results';
export const SAMPLES = `${RESULTS}/samples.csv.gz`;
/** Created when the samples have been copied; then the pod ends. */
export const COLLECTED = `${RESULTS}/collected`;
/** Holds k6's process id. */
export const PID = `${RESULTS}/k6.pid`;
export const K6_LOG = `${RESULTS}/k6.log`;
export const STEP_LABEL = 'n8n-tuned.io/capacity-step';

/** The pod waits so long for its samples to be copied. */
const WAIT_SECONDS = 600;

/**
 * Runs k6 and prints one line a second: `usage` with k6's line of /proc/PID/stat, at the end `ended` with its exit code and the
 * hash of its samples. The pod runs until the samples have been collected.
 */
const WATCHED = `
"$@" >${K6_LOG} 2>&1 &
k6=$!
echo "$k6" >${PID}
while read -r stat <"/proc/$k6/stat"; do
  case $stat in *") Z "*) break ;; esac
  echo "usage $stat"
  sleep 1
done 2>/dev/null &
wait "$k6"
code=$?
hash=none
[ ! -e ${SAMPLES} ] || hash=$(sha256sum <${SAMPLES})
echo "ended $code \${hash%% *}"
left=${WAIT_SECONDS}
while [ ! -e ${COLLECTED} ] && [ $left -gt 0 ]; do
  sleep 1
  left=$((left - 1))
done
`;

export interface JobObject extends Omit<KubernetesObject, 'spec'> {
  spec: JobSpec & { template: { spec: PodSpec } };
}

/**
 * A Job that drives one step: the chart's load test with the step's settings, its samples in a volume. The token stays in the
 * Secret that the chart's pod refers to.
 */
export function k6Job(loadTest: JobObject, name: string, step: StepLoad): JobObject {
  const { template } = loadTest.spec;
  const [container] = template.spec.containers;
  const labels = { ...template.metadata?.labels, [STEP_LABEL]: name };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds:
        Math.ceil(step.warmupSeconds + step.stepSeconds + 2 * step.timeoutSeconds) + 2 * WAIT_SECONDS,
      template: {
        metadata: { labels },
        spec: {
          ...template.spec,
          // The chart's init container waits for n8n, which is ready here.
          initContainers: [],
          affinity: awayFromTarget,
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              ...container!,
              command: ['sh', '-c', WATCHED, 'sh', ...k6Command(step)],
              env: k6Environment(container!.env, step),
              volumeMounts: [...(container!.volumeMounts ?? []), { name: 'results', mountPath: RESULTS }],
            },
          ],
          volumes: [...(template.spec.volumes ?? []), { name: 'results', emptyDir: {} }],
        },
      },
    },
  };
}

const k6Command = (step: StepLoad): string[] => [
  ...['k6', 'run', '--quiet', '--no-usage-report', '--no-color', '--summary-mode=disabled'],
  ...['--out', `csv=${SAMPLES}`, `/loadtests/${scriptName(step)}`],
];

/** The environment of k6: the reference to the token as in the chart's load test, and the step's settings. */
export const k6Environment = (chart: EnvVar[] = [], step: StepLoad): EnvVar[] => [
  ...chart.filter((e) => e.name === 'TOKEN'),
  ...Object.entries(buildScriptEnvironment(step)).map(([name, value]) => ({ name, value })),
];

/** Prefers a node without pods of the release. */
export const awayFromTarget = {
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: {
            matchLabels: { [INSTANCE_LABEL]: RELEASE },
            matchExpressions: [{ key: COMPONENT_LABEL, operator: 'NotIn', values: ['loadtest'] }],
          },
        },
      },
    ],
  },
};

/** The state of k6 by the last lines of its pod's log. */
export interface K6State {
  /** k6's line of /proc/PID/stat. */
  stat?: string;
  ended?: { exitCode: number; sha256?: string };
}

/** Reads the lines of WATCHED. */
export function k6State(log: string): K6State {
  const lines = log.trimEnd().split('\n');
  const stat = lines.findLast((line) => line.startsWith('usage '))?.slice('usage '.length);
  const ended = /^ended (\d+) ([0-9a-f]{64}|none)$/m.exec(log);
  return {
    ...(stat !== undefined && { stat }),
    ...(ended && { ended: { exitCode: Number(ended[1]), ...(ended[2] !== 'none' && { sha256: ended[2]! }) } }),
  };
}
