import {
  memoryCost,
  shareLost,
  type Gain,
  type Gains,
  type MemoryGain,
} from '../../capacity/src/workflow/check/gains.js';
import { RULES } from '../../capacity/src/workflow/check/rules.js';
import type { Cost, Rule } from '../../capacity/src/workflow/check/rule.js';
import { formatNumber, formatMib, formatPercent, formatRate } from '../../capacity/src/core/formats.js';

/** The page with its tables and its list of rules rendered from the rules and the record. */
export function withChecks(page: string, gains: Gains): string {
  return [
    ['costs', gainsTable(gains)],
    ['memory', memoryTable(gains.memory)],
    ['rules', RULES.map((rule) => ruleSection(rule, gains)).join('\n\n')],
  ].reduce(
    (text, [name, made]) =>
      text.replace(new RegExp(`(<!-- ${name} -->)[^]*(<!-- /${name} -->)`), `$1\n\n${made}\n\n$2`),
    page,
  );
}

function gainsTable({ cpus, cpuModel, versions, where, gains }: Gains): string {
  const head = ['choice', 'executions', 'without it', 'costs'];
  const rows = gains
    .toSorted((a, b) => shareLost(b) - shareLost(a))
    .map((gain) => [
      `[${gain.before.name}](#${gain.rule})`,
      formatRate(gain.before.perSecond),
      `${formatRate(gain.after.perSecond)} (${gain.after.name})`,
      costText(gain),
    ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `n8n ${where.n8n} with the chart's defaults on ${cpus} cores (${cpuModel}), k6 ${versions.k6}, medians of ${gains[0]!.before.runs.length} runs in turn.\n\n${lines.join('\n')}`;
}

const COSTS: Record<Cost, string> = {
  capacity: 'Costs executions per second',
  memory: 'Costs memory',
  safety: 'A risk',
};

function memoryTable(memory: MemoryGain[]): string {
  if (memory.length === 0) return 'The memory cost of these choices is not measured yet.';
  const head = ['choice', 'executions at a time', 'memory', 'without it', 'costs for each execution'];
  const rows = memory
    .toSorted((a, b) => memoryCost(b) - memoryCost(a))
    .map((gain) => [
      `[${gain.before.name}](#${gain.rule})`,
      String(gain.held),
      formatMib(gain.before.mib),
      `${formatMib(gain.after.mib)} (${gain.after.name})`,
      memoryCostText(gain),
    ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `Peak memory of n8n while requests arrived at a constant rate:\n\n${lines.join('\n')}`;
}

const memoryCostText = (gain: MemoryGain): string =>
  memoryCost(gain) === 0 ? 'not shown (runs overlap)' : `${formatNumber(memoryCost(gain))} MiB`;

function ruleSection(rule: Rule, { gains, memory }: Gains): string {
  const held = memory.find((g) => g.rule === rule.id);
  const gain = gains.find((g) => g.rule === (rule.measuredAs ?? rule.id));
  const measured = gain
    ? `: ${costText(gain)} ([measured](#what-the-choices-cost)${rule.measuredAs ? ` as ${rule.measuredAs}` : ''})`
    : held
      ? `: ${memoryCostText(held)}${memoryCost(held) === 0 ? '' : ' for each execution'} ([measured](#what-the-choices-cost))`
      : rule.cost === 'capacity'
        ? ' (not measured)'
        : '';
  return `### ${rule.id}\n\n**${rule.title}.** ${COSTS[rule.cost]}${measured}. ${rule.why}\n\n**Change:** ${rule.change}`;
}

const costText = (gain: Gain): string =>
  shareLost(gain) === 0 ? 'not shown (runs overlap)' : formatPercent(Math.round(shareLost(gain) * 100) / 100);
