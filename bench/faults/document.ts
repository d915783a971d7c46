import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { formatNumber, formatRate } from '../../capacity/src/core/formats.js';
import { judgeFaults } from '../../capacity/src/features/faults/judge/judge.js';
import {
  faultsSchema,
  faultTrialSchema,
  type FaultsRecord,
  type FaultTrial,
} from '../../capacity/src/features/faults/record.js';
import { faultsList, faultsTable } from '../../capacity/src/features/faults/report/markdown.js';

/** A published run of `faults`: its record, and every request, entry and execution of each trial. */
export interface Faults {
  /** Name of the deployment, such as that of a profile. */
  name: string;
  record: FaultsRecord;
  trials: FaultTrial[];
}

/** Reads a published run from its file. */
export function readFaults(file: string): Faults {
  const { name, record, trials } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Faults;
  return { name, record: faultsSchema.parse(record), trials: trials.map((trial) => faultTrialSchema.parse(trial)) };
}

/** The page with one section per run. */
export const withFaults = (page: string, runs: Faults[]): string =>
  page.replace(
    /(<!-- faults -->)[^]*(<!-- \/faults -->)/,
    (_, begin: string, end: string) =>
      `${begin}\n\n${runs.map(faultsSection).join('\n\n') || 'None is published yet.'}\n\n${end}`,
  );

function faultsSection({ name, record, trials }: Faults): string {
  const { verdict, answer, rows } = judgeFaults(record, trials);
  const { machine, versions, rate, capacity, workSeconds, provisioner } = record;
  const place = provisioner === 'kubernetes' ? 'Kubernetes' : 'local processes';
  const where = record.rescue ? `${place} with the rescue` : place;
  const sent = trials.reduce((sum, { requests }) => sum + requests.length, 0);
  return [
    `### ${name}`,
    `**${verdict}: ${answer}.**`,
    `n8n ${versions.n8n}, ${where}, ${machine.cpus} cores (${machine.cpuModel ?? 'unknown'}), ${sent} requests in all at ${formatRate(rate)}, 70 % of ${formatRate(capacity)}; executions of ${formatNumber(workSeconds)} s.`,
    faultsTable(rows),
    faultsList(rows),
  ].join('\n\n');
}
