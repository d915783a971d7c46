import { percent } from '../core/formats.js';
import type { Confidence } from '../model/verdict.js';
import type { RunRecord } from '../model/run.js';
import type { GeneratorPlace, StepRecord } from '../model/step.js';

const WHERE = {
  process: 'local processes',
  kubernetes: 'Kubernetes',
  existing: 'an n8n that was there already',
} as const;

/** How k6 stood to its target, where the last of these was the worst of a run. */
const PLACES: GeneratorPlace[] = ['own-node', 'elsewhere', 'shared-node', 'machine', 'forwarded'];

const PLACE_TEXT: Record<GeneratorPlace, string> = {
  'own-node': 'with the generator on a node of its own',
  elsewhere: 'from another machine, with the network between them part of the latencies',
  'shared-node': 'where the generator shared a node with the target',
  machine: 'where the generator shares the cores of the target',
  forwarded: 'through a forwarding of the API server, which is part of the latencies',
};

/** Says from the record alone whether a result is provisional, and why. */
export function confidence({ deployment, machine }: RunRecord, steps: StepRecord[]): Confidence {
  const { limits, provisioner = 'process' } = deployment;
  const place = PLACES.findLast((p) => steps.some((s) => (s.k6.place ?? 'machine') === p)) ?? 'machine';
  const confirmed = provisioner === 'kubernetes' && limits.enforced && steps.length > 0 && place === 'own-node';
  const shares = steps.flatMap((s) => s.k6.cpuShare ?? []);
  const most = shares.length > 0 ? percent(shares.reduce((a, b) => Math.max(a, b))) : undefined;
  const enforced = limits.enforced ? '' : ', limits not enforced';
  return {
    word: confirmed ? 'confirmed' : 'provisional',
    text: `measured on ${WHERE[provisioner]}, ${PLACE_TEXT[place]}${enforced}`,
    reasons: [
      limits.enforced
        ? `CPU and memory limits were enforced (${limits.detail}).`
        : `CPU and memory limits were not enforced: ${limits.detail}.`,
      generatorSentence(place, machine.cpus, most),
    ],
  };
}

function generatorSentence(place: GeneratorPlace, cpus: number, most: string | undefined): string {
  const used = most === undefined ? '' : `, and used at most ${most} of what it may use`;
  if (place === 'own-node') return `The load generator had a node of its own${used}.`;
  if (place === 'elsewhere')
    return `The load generator was on another machine${used}; the network is part of the latencies.`;
  if (place === 'shared-node') return `The load generator shared a node with what it measured${used}.`;
  if (place === 'forwarded')
    return 'The requests went from another machine through a forwarding of the API server, which is part of the latencies.';
  const ofWhich = most === undefined ? '' : `, of which it used at most ${most}`;
  return `The load generator shared the machine's ${cpus} cores with what it measured${ofWhich}.`;
}
