/**
 * Renders hooks/versions.json, which test/integration/hooks.test.ts records, into the table of hooks/README.md. With `--check`, only
 * checks that the table is up to date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

const folder = new URL('../hooks/', import.meta.url);
const page = new URL('README.md', folder);
const versions = JSON.parse(readFileSync(new URL('versions.json', folder), 'utf8'));
const FAMILIES = ['admission', 'repairs', 'accelerators'];
const PROCESSES = ['main', 'webhook', 'worker'];
const hooks = FAMILIES.flatMap((family) => readdirSync(new URL(family, folder)).map((name) => [name, family]));
const columns = Object.entries(versions).flatMap(([version, modes]) =>
  Object.entries(modes).map(([mode, bound]) => ({ title: `${version}, ${mode}`, bound })),
);

/** The processes in which a hook is active; those in which it is inactive are in brackets. */
const cell = (bound, hook) =>
  PROCESSES.flatMap((process) => {
    const { active = [], inactive = [] } = bound[process] ?? {};
    return active.includes(hook) ? [process] : inactive.includes(hook) ? [`(${process})`] : [];
  }).join(', ');

const rows = [
  ['hook', ...columns.map(({ title }) => title)],
  ['---', ...columns.map(() => '---')],
  ...hooks.map(([name, family]) => [`[${name}](${family}/${name})`, ...columns.map(({ bound }) => cell(bound, name))]),
];
const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const before = readFileSync(page, 'utf8');
const text = before.replace(/(<!-- versions -->)[^]*(<!-- \/versions -->)/, `$1\n\n${table}\n\n$2`);
const rendered = await format(text, { ...(await resolveConfig(page)), parser: 'markdown' });
if (!process.argv.includes('--check')) writeFileSync(page, rendered);
else if (before !== rendered) {
  console.error('hooks/README.md is out of date; run: node scripts/hooks-versions.mjs');
  process.exitCode = 1;
}
