/**
 * advisories.mjs [FILE]: adds the records of GitHub's advisory database for the npm package n8n that are missing in
 * charts/n8n-tuned/files/advisories.yaml, and prints the new rows. For tests, FILE holds the answer of that database. A title is that of
 * the record until somebody rewords it. `needs` follows from the record's vector, which does not distinguish an account from one that
 * edits workflows.
 */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import semver from 'semver';
import { isMap, isSeq, parseDocument } from 'yaml';

const LIST = join(dirname(fileURLToPath(import.meta.url)), '..', 'charts/n8n-tuned/files/advisories.yaml');
const RECORDS_URL = 'https://api.github.com/advisories?ecosystem=npm&affects=n8n&per_page=100';

/**
 * A record of GitHub's database as a row of the list.
 * @returns {{row?: object, unread?: string}} `unread`: its number, if the affected versions cannot be expressed
 */
export function toRow(record) {
  const id = record.cve_id ?? record.ghsa_id;
  const affected = record.vulnerabilities
    .filter(({ package: { ecosystem, name } }) => ecosystem === 'npm' && name === 'n8n')
    .map(parseRange);
  if (affected.length === 0 || affected.includes(undefined)) return { unread: id };
  const cvss = record.cvss_severities?.cvss_v4?.score || record.cvss_severities?.cvss_v3?.score || record.cvss?.score;
  const vector =
    record.cvss_severities?.cvss_v4?.vector_string ??
    record.cvss_severities?.cvss_v3?.vector_string ??
    record.cvss?.vector_string;
  return {
    row: {
      id,
      ...(id !== record.ghsa_id && { ghsa: record.ghsa_id }),
      title: record.summary
        .replace(/^n8n:? (?=\S)/, '')
        .replace(/\s+/g, ' ')
        .replace(/\.$/, ''),
      severity: ['critical', 'high', 'medium', 'low'].includes(record.severity) ? record.severity : 'unrated',
      ...(cvss && { cvss }),
      needs: { N: 'none', L: 'login', H: 'admin' }[/\/PR:([NLH])/.exec(vector ?? '')?.[1]] ?? 'login',
      affected: affected.sort(([a], [b]) => semver.compare(a, b)),
      date: record.published_at.slice(0, 10),
      source: 'GitHub advisory',
    },
  };
}

/** `>= 2.0.0, < 2.41.4` as the first affected version and the one that fixes it; undefined for any other form. */
function parseRange({ vulnerable_version_range: range, first_patched_version: patched }) {
  const found = /^(?:>= (?<from>\S+), )?(?:< (?<below>\S+)|<= (?<upTo>\S+))$/.exec(range ?? '')?.groups;
  if (!found) return undefined;
  const fixed = found.below ?? patched;
  const from = found.from ?? '0.0.0';
  return semver.valid(from) && semver.valid(fixed) && semver.lt(from, fixed) ? [from, fixed] : undefined;
}

/**
 * The records that the list lacks. Withdrawn records are left out.
 * @param list the current list
 * @returns {{rows: object[], unread: string[]}} the newest first
 */
export function findMissing(list, records) {
  const known = new Set(list.advisories.flatMap(({ id, ghsa }) => [id, ghsa]));
  const open = records.filter(
    ({ cve_id: cve, ghsa_id: ghsa, withdrawn_at: withdrawn }) => !withdrawn && !known.has(cve) && !known.has(ghsa),
  );
  const found = open.map((record) => ({ record, ...toRow(record) }));
  return {
    rows: found.flatMap(({ row }) => row ?? []).sort((a, b) => b.date.localeCompare(a.date)),
    unread: found
      .filter(({ unread, record }) => unread && ![unread, record.ghsa_id].some((id) => list.unread.includes(id)))
      .map(({ unread }) => unread),
  };
}

/**
 * The text of the list with the new rows before the old ones. Its comments stay.
 * @param today a date such as 2026-12-01
 */
export function addRows(text, { rows, unread }, today) {
  const document = parseDocument(text);
  const { newest, unread: before } = document.toJS();
  const ids = rows.flatMap(({ id, ghsa }) => [id, ghsa]);
  const fixes = rows.flatMap(({ affected }) => affected.map(([, fixed]) => fixed));
  document.set('date', today);
  document.set('newest', document.createNode(newestByMajor([...newest, ...fixes])));
  document.set('unread', document.createNode([...before.filter((id) => !ids.includes(id)), ...unread]));
  const all = document.get('advisories');
  if (!isSeq(all) || !all.items.every(isMap)) throw new Error('advisories: is not a list');
  all.items.unshift(...rows.map((row) => document.createNode(row)));
  return document.toString({ lineWidth: 0 });
}

/** The newest of each major version, oldest first. */
const newestByMajor = (versions) => {
  const majors = [...new Set(versions.map((version) => semver.major(version)))].sort((a, b) => a - b);
  return majors.map((major) => versions.filter((v) => semver.major(v) === major).sort(semver.rcompare)[0]);
};

/** Fetches every page of GitHub's answer. */
async function fetchRecords() {
  const records = [];
  for (let url = RECORDS_URL; url;) {
    const response = await fetch(url, { headers: { accept: 'application/vnd.github+json' } });
    if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
    records.push(...(await response.json()));
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return records;
}

if (argv[1] && realpathSync(argv[1]) === fileURLToPath(import.meta.url)) {
  const records = argv[2] ? JSON.parse(readFileSync(argv[2], 'utf8')) : await fetchRecords();
  const text = readFileSync(LIST, 'utf8');
  const missing = findMissing(parseDocument(text).toJS(), records);
  if (missing.rows.length + missing.unread.length > 0)
    writeFileSync(LIST, addRows(text, missing, new Date().toISOString().slice(0, 10)));
  for (const { id, severity, needs, title, affected } of missing.rows)
    console.log(
      `${id} (${severity}, needs ${needs}): ${title}; ${affected.map((pair) => pair.join(' to below ')).join(', ')}`,
    );
  for (const id of missing.unread) console.log(`${id}: its affected versions cannot be read`);
}
