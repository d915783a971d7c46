import { judgeClaims, type JudgedClaim } from '../judge/claims.js';
import { cellText, MEASURES } from '../judge/measures.js';
import { recommendedOf } from '../judge/recommended.js';
import { scalabilityOf } from '../judge/scalability.js';
import type { CellRecord, ExperimentRecord } from '../record/schema.js';
import { fits } from '../spec/cells.js';
import type { Experiment, ExperimentPart } from '../spec/schema.js';
import { claimsTable, table } from './claims.js';
import type { Picture } from './plots.js';

const GIB = 2 ** 30;
/** The team that measured first, as docs/glossary.md explains it. */
export const ORIGIN = '[the origin](../glossary.md#the-origin)';

/** The page of an experiment as Markdown: the text of its file, the figures of its record. */
export function experimentPage(experiment: Experiment, record: ExperimentRecord, pictures: Picture[]): string {
  const { name, title, question, setting, origin, today, chart, parts } = experiment;
  const judged = judgeClaims(experiment.claims, record.cells);
  return [
    `# ${title}`,
    `**${question.trim()}**`,
    paragraph(setting),
    machineText(record),
    answerText(judged),
    '## Claims and results',
    claimsTable(judged),
    '## Measurements',
    ...parts.flatMap((part) => partText(part, record.cells)),
    ...pictures.map(({ file, title: caption }) => `![${caption}](${file})`),
    ...scalabilityOf(experiment, record.cells),
    ...recommendedOf(experiment, record.cells),
    `## Findings of ${ORIGIN}`,
    paragraph(origin),
    '## Explanation, and changes since then',
    paragraph(today),
    '## What the chart does',
    paragraph(chart),
    '## Repeat it',
    `\`make experiment NAME=${name}\` repeats it on the quick grid in less than 15 minutes, with \`GRID=full\` on the whole grid of ` +
      `[its file](../../experiments/${name}.yaml). This page is rendered from the record [${name}.json](${name}.json)` +
      `${drawsMemory(experiment) ? ` and the memory curves [${name}.csv.gz](${name}.csv.gz)` : ''}; a test checks that.`,
    '',
  ].join('\n\n');
}

/** Whether one of its plots shows curves of memory over time, which are published beside the record. */
export const drawsMemory = ({ plots }: Pick<Experiment, 'plots'>): boolean =>
  plots.some(({ kind }) => kind === 'memory' || kind === 'processes');

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
    `${software.filter(Boolean).join(', ')}. CPU and memory limits of n8n: ${limits}. ${all((cell) => cell.machine.sharing.split(':')[0])}.*`
  );
}

/** The page's answer to its question: which key claims hold. */
function answerText(judged: JudgedClaim[]): string {
  const key = judged.filter(({ claim }) => claim.key);
  const say = (verdict: JudgedClaim['verdict'], words: string) => {
    const these = key.filter((j) => j.verdict === verdict).map(({ claim }) => claim.says);
    return these.length === 0 ? '' : ` ${words} ${these.map((says) => `“${says}”`).join('; ')}.`;
  };
  const held = key.filter((j) => j.verdict === 'holds').length;
  return `**${held} of ${key.length} key claims hold.**${say('fails', 'These do not hold:')}${say('not measured', 'Not measured here:')}`;
}

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
