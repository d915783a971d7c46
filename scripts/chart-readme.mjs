// Writes the tables of the chart's README from the comments of values.yaml and of the profiles, and the descriptions of
// values.schema.json from the comments of values.yaml. The text outside the markers is written by hand.
// With `--check`, writes nothing and names the files that it would change.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { isCollection, isMap, parseDocument } from 'yaml';

const chart = fileURLToPath(new URL('../charts/n8n-tuned/', import.meta.url));
const file = `${chart}README.md`;
const schemaFile = `${chart}values.schema.json`;

/** The two parts of a comment: `about` the section, up to the first line that begins with "-- ", and the `meaning` of the value. */
function splitComment(comment = '') {
  const lines = comment.split('\n').map((line) => line.replace(/^ /, ''));
  const at = lines.findIndex((line) => line.startsWith('-- '));
  const about = (at < 0 ? lines : lines.slice(0, at)).join('\n').trim();
  const meaning = at < 0 ? '' : lines.slice(at).join(' ').replace(/^-- /, '').replace(/\s+/g, ' ').trim();
  return { about, meaning };
}

/** Every value under a map: its path, both parts of its comment, and its default (undefined for a map of values). */
function* listValues(map, path = []) {
  for (const [index, { key, value }] of map.items.entries()) {
    // The parser attaches the comment above the first key of a map to the map.
    const comment = [index === 0 && path.length > 0 ? map.commentBefore : undefined, key.commentBefore];
    const parts = splitComment(comment.filter(Boolean).join('\n'));
    // A map with a comment of its own is a value, like a list: for example labels.
    const inner = isMap(value) && value.items.length > 0 && !parts.meaning;
    const written = isCollection(value) ? JSON.stringify(value.toJSON()) : (value?.source ?? 'null');
    const shown = value?.type === 'QUOTE_DOUBLE' || value?.type === 'QUOTE_SINGLE' ? `"${written}"` : written;
    yield { path: [...path, key.value], ...parts, default: inner ? undefined : shown };
    if (inner) yield* listValues(value, [...path, key.value]);
  }
}

const paragraph = (text) =>
  text
    .split(/\n\s*\n/)
    .map((part) =>
      part.startsWith('  ') ? `\`\`\`\n${part.replace(/^ {2}/gm, '')}\n\`\`\`` : part.replace(/\n/g, ' ').trim(),
    )
    .join('\n\n');
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const row = ({ path, about, meaning, default: value }) => [
  `\`${path.join('.')}\``,
  value === undefined ? '' : `\`${value}\``,
  [path.length > 1 ? about : '', meaning].filter(Boolean).join(' '),
];

/** The tables of values.yaml: one for the values at the top level, one for each map there. */
function valuesTables(yaml) {
  const all = [...listValues(parseDocument(yaml).contents)];
  const head = ['value', 'default', 'meaning'];
  const alone = all.filter(({ path, default: value }) => path.length === 1 && value !== undefined);
  const sections = all.filter(({ path, default: value }) => path.length === 1 && value === undefined);
  const shown = (values) =>
    values.filter(({ default: value, about, meaning }) => value !== undefined || about || meaning);
  return [
    paragraph(all[0].about),
    '### At the top',
    table(head, alone.map(row)),
    ...sections.flatMap(({ path: [name], about }) => [
      `### ${name}`,
      paragraph(about),
      table(head, shown(all.filter(({ path }) => path.length > 1 && path[0] === name)).map(row)),
    ]),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** One row for each profile: the first paragraph of its comment, and the paragraph that begins with "Takes: ". */
function profilesTable(profiles) {
  const rows = Object.entries(profiles).map(([name, yaml]) => {
    const lines = yaml
      .slice(0, yaml.search(/^[^#]/m))
      .split('\n')
      .map((line) => line.replace(/^# ?/, ''));
    const paragraphs = lines
      .join('\n')
      .split(/\n\s*\n/)
      .map((part) => part.replace(/\n/g, ' ').trim());
    const takes = paragraphs.find((part) => part.startsWith('Takes: ')) ?? '';
    return [`[${name}](profiles/${name}.yaml)`, paragraphs[0], takes.replace('Takes: ', '')];
  });
  return table(['profile', 'for', 'what it can take'], rows);
}

/** The README with the parts between its markers written again. */
async function readme(text, yaml, profiles) {
  const parts = { values: valuesTables(yaml), profiles: profilesTable(profiles) };
  for (const [name, part] of Object.entries(parts)) {
    const marked = new RegExp(`(<!-- ${name} -->\n)[^]*(<!-- /${name} -->)`);
    if (!marked.test(text)) throw new Error(`${file} has no <!-- ${name} --> … <!-- /${name} -->`);
    text = text.replace(marked, (_, from, to) => `${from}\n${part}\n\n${to}`);
  }
  return prettier.format(text, { ...(await prettier.resolveConfig(file)), parser: 'markdown' });
}

/** The schema with the comments of the values as descriptions. Nothing else changes. */
function schema(text, yaml) {
  const root = parseDocument(text);
  const changes = [];
  for (const { path, meaning } of listValues(parseDocument(yaml).contents)) {
    const old = root.getIn([...path.flatMap((key) => ['properties', key]), 'description'], true);
    if (old && meaning && old.value !== meaning) changes.push({ range: old.range, meaning });
  }
  return changes
    .sort((a, b) => b.range[0] - a.range[0])
    .reduce((to, { range, meaning }) => to.slice(0, range[0]) + JSON.stringify(meaning) + to.slice(range[1]), text);
}

const check = process.argv.includes('--check');
async function write(path, make) {
  const written = readFileSync(path, 'utf8');
  const made = await make(written);
  if (written === made) return;
  if (!check) return writeFileSync(path, made);
  console.error(`${path} is out of date; run: npm run chart:readme`);
  process.exitCode = 1;
}

const yaml = readFileSync(`${chart}values.yaml`, 'utf8');
const profiles = Object.fromEntries(
  readdirSync(`${chart}profiles`).map((name) => [
    name.replace('.yaml', ''),
    readFileSync(`${chart}profiles/${name}`, 'utf8'),
  ]),
);
await write(schemaFile, (text) => schema(text, yaml));
await write(file, (text) => readme(text, yaml, profiles));
