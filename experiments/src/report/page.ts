import { cheapestSection } from '../judge/cheapest.js';
import { judgeClaims } from '../judge/claims.js';
import { cellText, MEASURES } from '../judge/measures.js';
import { scalabilitySection } from '../judge/scalability.js';
import { failureShare, MAX_FAILED_SHARE, inconclusiveReason } from '../judge/usable.js';
import type { CellRecord, ExperimentRecord } from '../record/schema.js';
import { isMatch, webhookOf } from '../spec/cells.js';
import type { Experiment, ExperimentPart } from '../spec/schema.js';
import { claimsTable, markdownTable } from './claims.js';
import { pageHead } from './head.js';
import type { Picture } from './plots.js';

const GIB = 2 ** 30;
/** Link to the glossary's explanation of the origin: the team that measured first. */
export const ORIGIN = '[the origin](../glossary.md#the-origin)';

/** The page of an experiment as Markdown: the text of its file and the figures of its record. */
export function experimentPage(experiment: Experiment, record: ExperimentRecord, pictures: Picture[]): string {
  const { name, title, question, setting, origin, today, chart, parts } = experiment;
  const judged = judgeClaims(experiment.claims, record.cells);
  const [first, ...others] = pictures.map(({ file, title: caption }) => `![${caption}](${file})`);
  return [
    `# ${title}`,
    ...pageHead(experiment, judged, record),
    ...(first ? [first] : []),
    '## Question and setup',
    `${question.trim()} ${trimParagraph(setting)}`,
    machineText(record),
    foldedSection('Claims and results', [claimsTable(judged)]),
    ...parts.map((part) => partSection(part, record.cells)),
    ...(others.length > 0 ? [foldedSection('More plots', others)] : []),
    ...scalabilitySection(experiment, record.cells),
    ...cheapestSection(experiment, record.cells),
    '## Explanation, and changes since then',
    trimParagraph(today),
    '## What the chart does',
    trimParagraph(chart),
    `## Findings of ${ORIGIN}`,
    trimParagraph(origin),
    '## Repeat it',
    `\`make experiment NAME=${name}\` repeats the quick grid, \`GRID=full\` the whole grid of ` +
      `[its file](../../experiments/${name}.yaml). This page is rendered from the record [${name}.json](${name}.json)` +
      `${drawsMemory(experiment) ? ` and the memory curves [${name}.csv.gz](${name}.csv.gz)` : ''}; a test checks that.`,
    '',
  ].join('\n\n');
}

/** A folded section, which GitHub opens on a click. The summary is HTML, not Markdown. */
const foldedSection = (summary: string, paragraphs: string[]): string =>
  [
    `<details>\n<summary>${summary.replace(/`([^`]*)`/g, '<code>$1</code>')}</summary>`,
    ...paragraphs,
    '</details>',
  ].join('\n\n');

/** Whether a plot shows memory or processes over time; these curves are published beside the record. */
export const drawsMemory = ({ plots }: Pick<Experiment, 'plots'>): boolean =>
  plots.some(({ kind }) => kind === 'memory' || kind === 'processes');

const trimParagraph = (text: string): string => text.trim();

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
  const webhooks = all((cell) => (isOfN8n(cell) ? String(webhookOf(cell)) : undefined));
  const limits = all((cell) => (isOfN8n(cell) ? cell.limits : undefined));
  return (
    `*Run on ${all(({ startedAt }) => startedAt.slice(0, 10))}, ${grid} grid, in ${minutes} min: ${machine}; ` +
    `${software.filter(Boolean).join(', ')}. ${webhooks && `The workflows had version ${webhooks} of the Webhook node. `}CPU and memory limits of n8n: ${limits}. ${all((cell) => cell.machine.sharing.split(':')[0])}.*`
  );
}

function partSection({ part, title, measures }: ExperimentPart, all: CellRecord[]): string {
  const cells = all.filter((cell) => isMatch(cell, { part }));
  if (cells.length === 0) return `${title}: not measured yet.`;
  const dimensions = Object.keys(cells[0]!.of);
  const filled = measures.filter((m) => cells.some((cell) => cellText(m, cell) !== '–'));
  const rows = cells.map((cell) => [
    ...dimensions.map((name) => String(cell.of[name])),
    ...filled.map((m) => cellText(m, cell)),
  ]);
  const refused = cells.filter((cell) => cell.refused !== undefined);
  return foldedSection(title, [
    markdownTable([...dimensions, ...filled.map((m) => MEASURES[m]!.title)], rows),
    ...figureNotes(filled, cells),
    ...(refused.length > 0 ? ['Refused, or not started:', refusalList(refused, dimensions)] : []),
  ]);
}

/** Notes that explain the missing figures of a table. */
function figureNotes(measures: string[], cells: CellRecord[]): string[] {
  const whys = new Set(
    cells.flatMap((cell) =>
      measures.flatMap((m) => (cellText(m, cell) === 'INCONCLUSIVE' ? (inconclusiveReason(m, cell) ?? []) : [])),
    ),
  );
  const survivors = cells.some((cell) => (failureShare(cell)?.share ?? 0) > MAX_FAILED_SHARE);
  return [
    ...[...whys].map((why) => `INCONCLUSIVE: ${why}.`),
    ...(survivors
      ? [`Percentiles are given where at most ${MAX_FAILED_SHARE * 100} % of the requests failed or were dropped.`]
      : []),
  ];
}

const refusalList = (cells: CellRecord[], dimensions: string[]): string =>
  cells
    .map(({ of, refused }) => `- ${dimensions.map((name) => `${name} ${String(of[name])}`).join(', ')}: ${refused}`)
    .join('\n');
