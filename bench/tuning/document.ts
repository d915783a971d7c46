import { readFileSync } from 'node:fs';
import { formatChange, formatChangeInterval, formatPercent, formatRate } from '../../capacity/src/core/formats.js';
import {
  changeText,
  trialSchema,
  tuneSchema,
  type ChangeEffect,
  type Finding,
  type Gain,
  type TrialRecord,
  type TuneRecord,
} from '../../capacity/src/features/tune/record.js';
import type { Foreign } from '../../capacity/src/model/plan.js';
import { describeRates } from '../../capacity/src/plan/kinds.js';
import { loadsWithEffects } from '../../capacity/src/features/tune/report/facts.js';
import { judgeTune } from '../../capacity/src/features/tune/judge.js';

/** A published run of `tune`: its record, all trials and the machine. */
export interface Tuning {
  record: TuneRecord;
  trials: TrialRecord[];
  cpus: number;
  cpuModel: string;
}

/** The manifests or the chart of a deployment that does not use this chart. */
export const deployedBy = ({ manifests, chart }: Foreign): string => (manifests ?? chart)!;

/** Reads a published run from its file. */
export function readTuning(file: string): Tuning {
  const { record, trials, cpus, cpuModel } = JSON.parse(readFileSync(file, 'utf8')) as Tuning;
  return { record: tuneSchema.parse(record), trials: trials.map((trial) => trialSchema.parse(trial)), cpus, cpuModel };
}

/** The page with one section per run. */
export const withTunings = (page: string, tunings: Tuning[]): string =>
  page.replace(
    /(<!-- tunings -->)[^]*(<!-- \/tunings -->)/,
    `$1\n\n${tunings.map(tuningSection).join('\n\n') || 'None is published yet.'}\n\n$2`,
  );

function tuningSection({ record, trials, cpus, cpuModel }: Tuning): string {
  const { effects, gain, chosen, answer, outcome } = judgeTune(record, trials);
  const changes = record.changes.filter(({ id }) => chosen.includes(id));
  const of = (...findings: Finding[]) => effects.filter((e) => findings.includes(e.finding));
  const clients = describeRates(record.plan.rates);
  const workloads = record.plan.loads.map(({ name }) => name);
  const { foreign } = record.plan;
  const deployed = foreign ? `as ${deployedBy(foreign)} deploys n8n` : "the chart's defaults";
  const where = `${workloads.join(', ')}; ${deployed}, ${record.database}, ${cpus} cores (${cpuModel}), ${clients}, ${trials.length} fresh deployments; measured on ${record.startedAt.slice(0, 10)}.`;
  return [
    `### n8n ${record.n8n}, ${record.mode} mode, ${workloads.length === 1 ? workloads[0] : `${workloads.length} workloads`}${foreign ? ', another chart' : ''}`,
    where,
    effectsTable(of('more', 'less', 'fails')),
    findingSentence('No effect within 4 %', of('none')),
    findingSentence('No gain of 4 %, and it may cost', of('noGain')),
    findingSentence('Not decided by these trials', of('open')),
    gain
      ? `**Together** (${changes.map((c) => `\`${changeText(c)}\``).join(', ')}): ${formatRate(gain.baseline)} before, ${formatRate(gain.tuned)} after, ${formatChangeInterval(gain.throughput)}${outcome === 'confirmed' ? '' : '; not confirmed'}.${togetherText(gain)}`
      : `**Together:** ${answer}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function togetherText({ loads = {}, latency, smallest }: Gain): string {
  const each = Object.entries(loads).map(([load, ratio]) => ` ${load}: ${formatChangeInterval(ratio)}.`);
  const confirms =
    smallest === undefined ? '' : ` This many trials can confirm a gain of ${formatPercent(smallest)} or more.`;
  const shows = `${each.join('')}${confirms}`;
  return latency ? `${shows} p95 at ${formatRate(latency.rate)}: ${formatChangeInterval(latency.ratio)}.` : shows;
}

function effectsTable(effects: ChangeEffect[]): string {
  if (effects.length === 0) return 'No change has an effect on the throughput that these trials could detect.';
  const driven = loadsWithEffects(effects);
  const head = ['setting', driven.length > 0 ? 'all (geometric mean)' : 'throughput', ...driven, 'memory', 'costs'];
  const rows = effects.map(({ change: { name, to, trades }, throughput, loads, memory, failures }) => [
    `\`${name}\` = ${String(to)}`,
    [throughput ? formatChangeInterval(throughput) : '–', ...failedText(failures)].join('; '),
    ...driven.map((load) => (loads?.[load] ? formatChangeInterval(loads[load]) : '–')),
    memory ? formatChange(memory.ratio) : '–',
    trades,
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const findingSentence = (what: string, effects: ChangeEffect[]): string =>
  effects.length === 0 ? '' : `**${what}:** ${effects.map(changeEffectText).join('; ')}.`;

/** A change with its effect and the interval of the effect. */
function changeEffectText({ change: { name, to }, throughput, failures }: ChangeEffect): string {
  const effect = [...(throughput ? [formatChangeInterval(throughput)] : []), ...failedText(failures)];
  return `\`${name}\` = ${String(to)}${effect.length > 0 ? `: ${effect.join(', ')}` : ''}`;
}

const failedText = (failures: ChangeEffect['failures']): string[] =>
  failures ? [`${failures.failed} of ${failures.trials} trials failed`] : [];
