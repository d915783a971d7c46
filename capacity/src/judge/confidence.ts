import { formatPercent } from '../core/formats.js';
import type { Confidence } from '../model/verdict.js';
import type { RunRecord } from '../model/run.js';
import type { GeneratorPlace, StepRecord } from '../model/step.js';

const WHERE = {
  process: 'local processes',
  kubernetes: 'Kubernetes',
  existing: 'an existing n8n',
} as const;

/** Where k6 ran, the best place first; the worst of a run's steps counts. */
const PLACES: GeneratorPlace[] = ['own-node', 'elsewhere', 'shared-node', 'machine', 'forwarded'];

const PLACE_TEXT: Record<GeneratorPlace, string> = {
  'own-node': 'with the load generator on its own node',
  elsewhere: 'from another machine; latencies include the network',
  'shared-node': 'with the load generator on the same node',
  machine: 'with the load generator on the same cores',
  forwarded: 'through port forwarding; latencies include the API server',
};

/** Whether a result is provisional, and why, from the record alone. */
export function confidence({ deployment, machine }: RunRecord, steps: StepRecord[]): Confidence {
  const { limits, provisioner = 'process' } = deployment;
  const place = PLACES.findLast((p) => steps.some((s) => (s.k6.place ?? 'machine') === p)) ?? 'machine';
  const confirmed = provisioner === 'kubernetes' && limits.enforced && steps.length > 0 && place === 'own-node';
  const shares = steps.flatMap((s) => s.k6.cpuShare ?? []);
  const most = shares.length > 0 ? formatPercent(shares.reduce((a, b) => Math.max(a, b))) : undefined;
  const enforced = limits.enforced ? '' : ', limits not enforced';
  return {
    word: confirmed ? 'confirmed' : 'provisional',
    text: `measured on ${WHERE[provisioner]}, ${PLACE_TEXT[place]}${enforced}`,
    reasons: [
      limits.enforced
        ? `CPU and memory limits were enforced (${limits.detail}).`
        : `CPU and memory limits were not enforced: ${limits.detail}.`,
      generatorSentence(place, machine.cpus, most),
      ...othersSentence(steps),
    ],
  };
}

/** Less of a core is the system's own. */
const LEAST_OTHERS = 0.25;

function othersSentence(steps: StepRecord[]): string[] {
  const most = steps.reduce((top, { machine }) => Math.max(top, machine?.otherCores ?? 0), 0);
  return most < LEAST_OTHERS ? [] : [`Other processes of this machine used up to ${most.toFixed(2)} cores in a step.`];
}

function generatorSentence(place: GeneratorPlace, cpus: number, most: string | undefined): string {
  const used = most === undefined ? '' : ` and used at most ${most} of its CPU`;
  if (place === 'own-node') return `The load generator had its own node${used}.`;
  if (place === 'elsewhere') return `The load generator ran on another machine${used}; latencies include the network.`;
  if (place === 'shared-node') return `The load generator shared a node with the deployment${used}.`;
  if (place === 'forwarded')
    return 'Requests came from another machine through port forwarding; latencies include the API server.';
  const ofWhich = most === undefined ? '' : ` and used at most ${most} of them`;
  return `The load generator shared the machine's ${cpus} cores with the deployment${ofWhich}.`;
}
