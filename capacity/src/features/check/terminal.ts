import { dirname, relative, sep } from 'node:path';
import pc from 'picocolors';
import type { CheckedFile, UnreadFile } from '../../workflow/check/check-file.js';
import type { Finding } from '../../workflow/check/check.js';
import type { Place } from '../../workflow/check/rule.js';
import { formatNumber, formatPercent, formatRate } from '../../core/formats.js';
import { escapeControls } from '../../core/printable.js';
import { textTable } from '../../report/terminal/table.js';

/** One file with all of its findings; of several files a table, then each finding once. */
export function formatChecks(checked: (CheckedFile | UnreadFile)[]): string {
  const read = checked.filter(isRead);
  const [only] = read;
  const text = checked.length === 1 && only ? formatFile(only) : formatFiles(checked);
  return `${text}\n${read.some((c) => c.findings.some((f) => f.measured)) ? `\n${NOTE}\n` : ''}`;
}

const NOTE =
  'Each cost was measured on an example with that choice alone, so costs do not add up; docs/check.md has them.';

const isRead = (file: CheckedFile | UnreadFile): file is CheckedFile => 'findings' in file;

function formatFile({ file, workflow, findings }: CheckedFile): string {
  const head = `${pc.bold(`${escapeControls(file)}: ${escapeControls(workflow)}`)}\n`;
  if (findings.length === 0) return `${head}\n${NOTHING}`;
  return [head, ...findings.map((finding) => formatFinding(finding, placesIn(finding)))].join('\n');
}

const NOTHING = 'nothing was found that costs capacity or memory';

/** Characters of the columns of files and workflows; longer names wrap. */
const [FILE_WIDTH, WORKFLOW_WIDTH, FINDINGS_WIDTH] = [24, 20, 34];

const COLUMNS = [
  {
    head: 'File',
    isText: true as const,
    width: FILE_WIDTH,
    cell: ({ file }: { file: string }) => escapeControls(file),
  },
  {
    head: 'Workflow',
    isText: true as const,
    width: WORKFLOW_WIDTH,
    cell: (row: CheckedFile | UnreadFile) => (isRead(row) ? escapeControls(row.workflow) : '–'),
  },
  {
    head: 'Findings, and the share that each costs',
    isText: true as const,
    width: FINDINGS_WIDTH,
    cell: (row: CheckedFile | UnreadFile) => (isRead(row) ? findingsCell(row.findings) : escapeControls(row.error)),
  },
];

const findingsCell = (findings: Finding[]): string =>
  findings.length === 0 ? 'none' : findings.map(({ rule, measured }) => `${rule}${shareText(measured)}`).join(', ');

const shareText = (measured: Finding['measured']): string => (measured?.share ? ` ${shownShare(measured.share)}` : '');

const shownShare = (share: number): string => formatPercent(Math.round(share * 100) / 100);

function formatFiles(all: (CheckedFile | UnreadFile)[]): string {
  const checked = withoutCommonFolder(all);
  const read = checked.filter(isRead);
  // Many files have a finding in common, with the same cost and the same change.
  const groups = new Map<string, { finding: Finding; files: string[] }>();
  for (const { file, findings } of read)
    for (const finding of findings) {
      const key = `${finding.rule} ${describeCost(finding)}`;
      const group = groups.get(key) ?? { finding, files: [] };
      groups.set(key, { finding: group.finding, files: [...group.files, file] });
    }
  const details = [...groups.values()]
    .sort((a, b) => b.files.length - a.files.length)
    .map(({ finding, files }) => formatFinding(finding, [filesLine(files, checked.length)]));
  return [`${textTable(COLUMNS, checked)}\n`, ...details].join('\n');
}

/** The files without the folder that all of them are in, so that a line has room for their names. */
function withoutCommonFolder(rows: (CheckedFile | UnreadFile)[]): (CheckedFile | UnreadFile)[] {
  const folders = rows.map(({ file }) => dirname(file).split(sep));
  const different = folders[0]!.findIndex((part, i) => folders.some((folder) => folder[i] !== part));
  const common = folders[0]!.slice(0, different < 0 ? undefined : different).join(sep);
  return rows.map((row) => ({ ...row, file: common === '' ? row.file : relative(common, row.file) }));
}

/** Files that are named for one finding. */
const MOST_FILES = 5;

function filesLine(files: string[], of: number): string {
  const named = files.slice(0, MOST_FILES).map(escapeControls).join(', ');
  const more = files.length - MOST_FILES;
  return `In ${files.length} of ${of} files: ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

const placesIn = ({ places }: Finding): string[] =>
  places.some(({ node }) => node !== undefined) ? [places.map(placeText).join(', ')] : [];

function formatFinding(finding: Finding, where: string[]): string {
  const { rule, title, why, change, fixable } = finding;
  const lines = [...where, why, `${pc.bold('Change:')} ${change}${fixable ? ' (--fix changes some of this.)' : ''}`];
  return `${pc.bold(title)} (${rule}): ${describeCost(finding)}\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** The cost of a finding, in words. */
function describeCost({ cost, measured, memoryMib, unlike }: Finding): string {
  if (unlike) return `not measured on this n8n (${unlike.join(', ')})`;
  if (memoryMib) return `costs ${formatNumber(memoryMib)} MiB for each concurrent execution (measured on an example)`;
  if (memoryMib === 0) return 'memory not shown: runs with and without it overlap';
  if (!measured) return { capacity: 'not measured', memory: 'costs memory', safety: 'a risk' }[cost];
  const { before, after, share, example } = measured;
  const where = example === undefined ? 'example' : `example of ${example}`;
  if (share === 0)
    return `cost not shown: runs with and without it overlap (${where}: ${formatRate(before)}, ${formatRate(after)} without)`;
  const text = `costs ${shownShare(share)} of the executions per second (${where}: ${formatRate(before)}, ${formatRate(after)} without)`;
  return share >= 0.3 ? pc.red(text) : pc.yellow(text);
}

const placeText = ({ node, what }: Place): string =>
  [node === undefined ? 'settings' : `"${escapeControls(node)}"`, ...(what === undefined ? [] : [what])].join(': ');
