/**
 * Records the output of a command, and renders the recording as a picture.
 *
 *   node scripts/recording.mjs record docs/recording.json COMMAND...   runs the command, and writes its lines with their times
 *   node scripts/recording.mjs render [--check]                        docs/recording.json into docs/recording.svg
 *
 * The picture shows the lines one after another, faster than they came, and stops at the end. If the reader prefers reduced
 * motion, it shows only the end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { execa } from 'execa';

/** Seconds of the recording in one second of the picture. */
const FASTER = 20;
/** Seconds between two lines of the picture at least, so that lines of the same moment can be read one by one. */
const PAUSE = 0.12;
const COLUMNS = 108;
/** Rows of the terminal; older ones scroll away. */
const ROWS = 28;
const LINE = 18;
const CHARACTER = 7.8;
const [TOP, LEFT] = [52, 18];
/** Upper end of the first row. */
const START = TOP - LINE + 4;

const record = new URL('../docs/recording.json', import.meta.url);
const picture = new URL('../docs/recording.svg', import.meta.url);

/** Runs a command, and returns its lines with the seconds after which each came. */
async function recordCommand(command) {
  const started = performance.now();
  const lines = [];
  const child = execa(command[0], command.slice(1), { all: true, reject: false, env: { NO_COLOR: '1' } });
  for await (const text of createInterface({ input: child.all })) {
    console.log(text);
    lines.push({ at: Number(((performance.now() - started) / 1000).toFixed(1)), text });
  }
  const { exitCode } = await child;
  return { command: command.join(' '), exitCode, lines };
}

const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A line as rows that fit; the rows after the first begin below its text, or below that of its second column. */
function wrapLine(text) {
  const indent = ' '.repeat(/^\s*(\S+ {2,})?/.exec(text)[0].length || 2);
  const rows = [''];
  for (const word of text.trimEnd().split(/(?<=\S) /)) {
    const last = rows.at(-1);
    const longer = last === '' ? word : `${last} ${word}`;
    if (longer.length <= COLUMNS) rows[rows.length - 1] = longer;
    else rows.push(indent + word.trimStart());
  }
  return rows;
}

/** The kind of a line, which decides its colour. */
const lineKind = (text) =>
  text.startsWith('$')
    ? 'command'
    : /^(PASS|CAPACITY|FAIL|INCONCLUSIVE)\b/.test(text)
      ? 'verdict'
      : /^\s*…/.test(text)
        ? 'step'
        : 'line';

/** The picture of a recording. */
function renderSvg({ command, lines }) {
  let [shown, row] = [0.6, 0];
  const all = [{ at: 0, text: `$ ${command}` }, ...lines];
  /** For each line: its time, how far the lines have moved up, and where the lines begin that are covered until then. */
  const moments = [];
  const groups = all.map(({ at, text }, i) => {
    if (i > 0) shown += Math.max(PAUSE, (at - all[i - 1].at) / FASTER);
    const rows = wrapLine(text).map((part) => {
      const y = TOP + LINE * row++;
      return `<text x="${LEFT}" y="${y}" xml:space="preserve">${escapeXml(part)}</text>`;
    });
    moments.push({ at: shown, up: LINE * Math.max(0, row - ROWS), below: START + LINE * Math.min(row, ROWS) });
    return `<g class="${lineKind(text)}">${rows.join('')}</g>`;
  });
  const { at: total, up: end } = moments.at(-1);
  const frames = (of) =>
    moments.map((one) => `${((100 * one.at) / total).toFixed(2)}% { transform: translateY(${of(one)}px) }`).join(' ');
  const [width, height] = [Math.ceil(2 * LEFT + CHARACTER * COLUMNS), TOP + LINE * ROWS];
  const seconds = Math.round(lines.at(-1).at);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A run of ${escapeXml(command)}">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d8dee9 }
.title { fill: #8b949e }
.command text { fill: #ffffff; font-weight: bold }
.step text { fill: #8b949e }
.verdict text { fill: #7ee787; font-weight: bold }
.lines { transform: translateY(${-end}px); animation: scroll ${total.toFixed(1)}s step-end }
.cover { transform: translateY(${height}px); animation: cover ${total.toFixed(1)}s step-end }
@keyframes scroll { 0% { transform: translateY(0) } ${frames(({ up }) => -up)} }
@keyframes cover { 0% { transform: translateY(${START}px) } ${frames(({ below }) => below)} }
@media (prefers-reduced-motion: reduce) { .lines, .cover { animation: none } }
</style>
<clipPath id="terminal"><rect y="${START}" width="${width}" height="${height - TOP + LINE - 12}"/></clipPath>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="5" fill="#f85149"/><circle cx="38" cy="18" r="5" fill="#d29922"/><circle cx="56" cy="18" r="5" fill="#3fb950"/>
<text class="title" x="${width - LEFT}" y="22" text-anchor="end">${seconds} s, shown ${FASTER} times as fast</text>
<g clip-path="url(#terminal)">
<g class="lines">
${groups.join('\n')}
</g>
<rect class="cover" width="${width}" height="${height}" fill="#0d1117"/>
</g>
</svg>
`;
}

const [task, ...rest] = process.argv.slice(2);
if (task === 'record') {
  const [file, ...command] = rest;
  const made = await recordCommand(command);
  writeFileSync(file, `${JSON.stringify(made, null, 1)}\n`);
  process.exitCode = made.exitCode ?? 1;
} else if (task === 'render') {
  const rendered = renderSvg(JSON.parse(readFileSync(record, 'utf8')));
  if (!rest.includes('--check')) writeFileSync(picture, rendered);
  else if (readFileSync(picture, 'utf8') !== rendered) {
    console.error('docs/recording.svg is out of date; run: node scripts/recording.mjs render');
    process.exitCode = 1;
  }
} else {
  console.error('usage: recording.mjs record FILE COMMAND... | render [--check]');
  process.exitCode = 3;
}
