import { readFileSync } from 'node:fs';
import type { LoadPlan } from '../../capacity/src/model/plan.js';
import { formatRate, sentence } from '../../capacity/src/core/formats.js';
import {
  survivalSchema,
  upgradeSchema,
  upgradeTrialSchema,
  type Survival,
  type UpgradeRecord,
  type UpgradeTrial,
} from '../../capacity/src/features/upgrade/record.js';
import {
  comparisonColumns,
  ENVIRONMENT_COLUMNS,
  survivalText,
} from '../../capacity/src/features/upgrade/report/facts.js';

import type { Column } from '../../capacity/src/report/columns.js';
import { judgeUpgrade } from '../../capacity/src/features/upgrade/judge.js';

/** A published run of `upgrade`: its record, all trials and the machine. */
export interface Upgrade {
  record: UpgradeRecord;
  trials: UpgradeTrial[];
  survival?: Survival;
  cpus: number;
  cpuModel: string;
}

/** Reads a published run from its file. */
export function readUpgrade(file: string): Upgrade {
  const { record, trials, survival, ...machine } = JSON.parse(readFileSync(file, 'utf8')) as Upgrade;
  return {
    ...machine,
    record: upgradeSchema.parse(record),
    trials: trials.map((trial) => upgradeTrialSchema.parse(trial)),
    ...(survival && { survival: survivalSchema.parse(survival) }),
  };
}

/** The page with one section per run. */
export const withUpgrades = (page: string, upgrades: Upgrade[]): string =>
  page.replace(
    /(<!-- upgrades -->)[^]*(<!-- \/upgrades -->)/,
    `$1\n\n${upgrades.map(upgradeSection).join('\n\n') || 'None is published yet.'}\n\n$2`,
  );

/** Name of the workload. A custom workflow has a full name; the name of its load is shortened to fit into labels. */
const workloadName = ({ name, custom }: LoadPlan): string => custom?.name ?? name;

function upgradeSection({ record, trials, survival, cpus, cpuModel }: Upgrade): string {
  const { comparisons, answer, rate } = judgeUpgrade(record, trials, survival);
  const { from, to, environment } = record;
  const clients = record.plan.rates.kind === 'closed' ? record.plan.rates.clients : 0;
  const at = rate === undefined ? '' : `; p95 at ${formatRate(rate)}`;
  return [
    `### ${workloadName(record.plan.loads[0]!)}: ${from} to ${to}`,
    `**${answer}.**`,
    `The chart's defaults, ${cpus} cores (${cpuModel}), ${clients} clients, ${trials.length} fresh deployments${at}.`,
    columnsTable(comparisonColumns(from, to), comparisons),
    survival ? sentence(survivalText(survival)) : '',
    environment.length > 0 ? `The chart renders differently:\n\n${columnsTable(ENVIRONMENT_COLUMNS, environment)}` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function columnsTable<Row>(columns: Column<Row>[], rows: Row[]): string {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  return [columns.map(({ head }) => head), columns.map(() => '---'), ...cells]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
