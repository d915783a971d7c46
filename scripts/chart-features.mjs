/**
 * Renders docs/chart/features.json into docs/chart/features.md. With `--check`, only checks that the page is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

const page = new URL('../docs/chart/features.md', import.meta.url);
const { charts, features } = JSON.parse(readFileSync(new URL('../docs/chart/features.json', import.meta.url), 'utf8'));
const names = Object.keys(charts);
const count = (name, has) => features.filter((one) => one[name].has === has).length;
const own = ({ has, test, title }) => (test ? `[${has}](../../${test} "${title.replaceAll('%s', '…')}")` : has);
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const notes = features.filter((one) => one['n8n-tuned'].note);

const text = `# Four charts of n8n

What this chart has and what the three public charts have. Each yes of this chart links its test, whose name
the link shows. Those of the others were read
in their templates, at one commit each, and no chart was installed for it; [features.json](features.json) has the lines and the
doubts. Charts change: look at the newest version before you decide. How much each of them takes is measured in
[Charts](../experiments/charts.md).

${table(
  ['chart', 'version', 'commit', 'yes', 'partly', 'no'],
  [
    ['n8n-tuned', 'this one', '', ...['yes', 'partly', 'no'].map((has) => count('n8n-tuned', has))],
    ...names.map((name) => [
      `${name} (${charts[name].repository})`,
      charts[name].version,
      charts[name].commit.slice(0, 7),
      ...['yes', 'partly', 'no'].map((has) => count(name, has)),
    ]),
  ],
)}

The list of features is ours, so the counts favour what we thought of.

${table(
  ['', 'n8n-tuned', ...names],
  features.map((one) => [one.feature, own(one['n8n-tuned']), ...names.map((name) => one[name].has)]),
)}

Partly, or not, in this chart:

${notes.map((one) => `- ${one.feature}: ${one['n8n-tuned'].note}.`).join('\n')}
`;

const rendered = await format(text, { ...(await resolveConfig(page)), parser: 'markdown' });
if (!process.argv.includes('--check')) writeFileSync(page, rendered);
else if (readFileSync(page, 'utf8') !== rendered) {
  console.error('docs/chart/features.md is out of date; run: node scripts/chart-features.mjs');
  process.exitCode = 1;
}
