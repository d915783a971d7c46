import { sum } from 'simple-statistics';
import { formatNumber, toMebibytes, formatMib } from '../../core/formats.js';
import type { DeploymentRecord } from '../../model/run.js';
import { textTable } from './table.js';

type Instance = DeploymentRecord['instances'][number];

/** The deployment and the load that a run would have, its length, and what it would touch. */
export function formatDryRun(
  dry: {
    versions: { n8n: string; chart?: string };
    deployment: Omit<DeploymentRecord, 'limits'>;
    memoryBytes?: number;
    loads: string[];
    rates: string;
    seconds: number;
    touches: string[];
    notes: string[];
  },
  folder: string,
): string {
  const { versions, deployment, loads, rates, seconds, touches, notes } = dry;
  const chart = versions.chart === undefined ? '' : `, chart ${versions.chart}`;
  return `n8n ${versions.n8n}${chart}, ${deployment.mode} mode, ${deployment.database}

${textTable(COLUMNS, deployment.instances)}

${memoryLine(dry)}load      ${loads.join(', then ')}
rates     ${rates}
time      about ${Math.ceil(seconds / 60)} min once everything is installed; longer if a step does not decide
record    ${folder}
touches   ${touches.join('\n          ')}
${notes.map((note) => `note      ${note}\n`).join('')}
Nothing was deployed. Run the same command without --dry-run.
`;
}

/** The sum of the memory limits: the most that n8n and its databases may use. They usually use far less. */
function memoryLine({
  deployment,
  memoryBytes,
}: Pick<Parameters<typeof formatDryRun>[0], 'deployment' | 'memoryBytes'>) {
  const limits = sum(deployment.instances.map((instance) => instance.limits.memoryBytes ?? 0));
  if (limits === 0) return '';
  const here = memoryBytes === undefined ? '' : `; this machine has ${gibibytes(memoryBytes)}`;
  return `memory    the limits add up to ${gibibytes(limits)}${here}\n`;
}

const gibibytes = (bytes: number) => `${formatNumber(bytes / 2 ** 30)} GiB`;

const COLUMNS = [
  { head: 'instance', isText: true as const, cell: ({ name }: Instance) => name },
  {
    head: 'CPU',
    cell: ({ limits }: Instance) => (limits.cpuMillis === undefined ? '–' : `${limits.cpuMillis / 1000}`),
  },
  {
    head: 'memory',
    cell: ({ limits }: Instance) =>
      limits.memoryBytes === undefined ? '–' : formatMib(toMebibytes(limits.memoryBytes)),
  },
];
