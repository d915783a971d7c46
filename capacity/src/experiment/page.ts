import { fits } from './cells.js';
import { judgeClaims, type JudgedClaim } from './claims.js';
import { cellText, MEASURES, significant } from './measures.js';
import type { Picture } from './plots.js';
import { recommendedOf } from './recommended.js';
import { scalabilityOf } from './scalability.js';
import type { Experiment, ExperimentPart } from './spec.js';
import type { CellRecord, ExperimentRecord } from './types.js';

const GIB = 2 ** 30;

/** The page of an experiment, as Markdown: its prose from its file, every figure from its record. */
export function experimentPage(experiment: Experiment, record: ExperimentRecord, pictures: Picture[]): string {
  const { name, title, question, setting, origin, today, chart, parts } = experiment;
  const judged = judgeClaims(experiment.claims, record.cells);
  return [
    `# ${title}`,
    `**${question.trim()}**`,
    paragraph(setting),
    machineText(record),
    answerText(judged),
    '## What was claimed, and what was measured',
    claimsTable(judged),
    '## Measured',
    ...parts.flatMap((part) => partText(part, record.cells)),
    ...pictures.map(({ file, title: caption }) => `![${caption}](${file})`),
    ...scalabilityOf(experiment, record.cells),
    ...recommendedOf(experiment, record.cells),
    '## What the origin found',
    paragraph(origin),
    '## Why, and what has changed since',
    paragraph(today),
    '## What the chart does about it',
    paragraph(chart),
    '## Again',
    `\`make experiment NAME=${name}\` runs it on a grid of under 15 minutes, \`GRID=full\` on all of [its file](../../experiments/${name}.yaml). ` +
      `The figures above are those of [${name}.json](${name}.json), the curves those of [${name}.csv](${name}.csv); a test renders this page from them.`,
    '',
  ].join('\n\n');
}

const paragraph = (text: string): string => text.trim();

function machineText({ cells, grid }: ExperimentRecord): string {
  const all = (of: (cell: CellRecord) => string | undefined) =>
    [...new Set(cells.flatMap((cell) => of(cell) ?? []))].sort().join(' and ');
  const minutes = Math.max(1, Math.round(cells.reduce((sum, { tookSeconds }) => sum + tookSeconds, 0) / 60));
  const machine = all(({ machine: { cpus, processor, memoryBytes, kernel } }) => {
    return `${cpus} cores (${processor}), ${Math.round(memoryBytes / GIB)} GiB, Linux ${kernel}`;
  });
  const n8n = all(({ versions }) => (versions.n8n === 'none' ? undefined : versions.n8n));
  const software = [
    n8n && `n8n ${n8n}`,
    `Node ${all(({ versions }) => versions.node)}`,
    `k6 ${all(({ versions }) => versions.k6)}`,
  ];
  const isOfN8n = ({ refused, versions }: CellRecord) => refused === undefined && versions.n8n !== 'none';
  const limits = all((cell) => (isOfN8n(cell) ? cell.limits : undefined));
  return (
    `*Run on ${all(({ startedAt }) => startedAt.slice(0, 10))}, ${grid} grid, in ${minutes} min: ${machine}; ` +
    `${software.filter(Boolean).join(', ')}. CPU and memory limits of n8n: ${limits}. ${all((c) => c.machine.sharing)}.*`
  );
}

/** The page's first word on its question: what became of the claims that matter most. */
function answerText(judged: JudgedClaim[]): string {
  const key = judged.filter(({ claim }) => claim.key);
  const say = (verdict: JudgedClaim['verdict'], words: string) => {
    const these = key.filter((j) => j.verdict === verdict).map(({ claim }) => claim.says);
    return these.length === 0 ? '' : ` ${words} ${these.map((says) => `“${says}”`).join('; ')}.`;
  };
  const held = key.filter((j) => j.verdict === 'holds').length;
  return `**${held} of ${key.length} key claims hold.**${say('fails', 'These do not:')}${say('not measured', 'Not measured here:')}`;
}

const VERDICTS: Record<JudgedClaim['verdict'], string> = {
  holds: 'holds',
  fails: '**does not hold**',
  'not measured': 'not measured',
};

function claimsTable(judged: JudgedClaim[]): string {
  const rows = judged.map(({ claim, verdict, measured }) => [
    claim.says,
    asked(claim),
    claim.origin === undefined ? '–' : originText(claim),
    measured,
    VERDICTS[verdict],
  ]);
  return table(['claim', 'asked', 'origin', 'here', ''], rows);
}

/** What a claim asks of its figure, for people. */
export function asked({ measure, over, atLeast, atMost, is }: JudgedClaim['claim']): string {
  if (is) return is.join(' or ');
  const text = (value: number) => (over ? `${significant(value)} ×` : MEASURES[measure]!.text(value));
  return [atLeast !== undefined && `≥ ${text(atLeast)}`, atMost !== undefined && `≤ ${text(atMost)}`]
    .filter(Boolean)
    .join(', ');
}

export const originText = ({ measure, over, origin }: JudgedClaim['claim']): string =>
  origin === undefined ? '–' : over ? `${significant(origin)} ×` : MEASURES[measure]!.text(origin);

function partText({ part, title, measures }: ExperimentPart, all: CellRecord[]): string[] {
  const cells = all.filter((cell) => fits(cell, { part }));
  if (cells.length === 0) return [`### ${title}`, 'Not measured on this machine.'];
  const dimensions = Object.keys(cells[0]!.of);
  const filled = measures.filter((m) => cells.some((cell) => cellText(m, cell) !== '–'));
  const rows = cells.map((cell) => [
    ...dimensions.map((name) => String(cell.of[name])),
    ...filled.map((m) => cellText(m, cell)),
  ]);
  const refused = cells.filter((cell) => cell.refused !== undefined);
  return [
    `### ${title}`,
    table([...dimensions, ...filled.map((m) => MEASURES[m]!.title)], rows),
    ...(refused.length > 0 ? ['Refused, or not started:', refusals(refused, dimensions)] : []),
  ];
}

const refusals = (cells: CellRecord[], dimensions: string[]): string =>
  cells
    .map(({ of, refused }) => `- ${dimensions.map((name) => `${name} ${String(of[name])}`).join(', ')}: ${refused}`)
    .join('\n');

/** A table of Markdown. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
