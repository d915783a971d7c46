import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { advisoryListSchema, type Advisory, type AdvisoryList } from '../../capacity/src/model/advisories.js';

const root = join(import.meta.dirname, '../..');
interface Script {
  toRow: (record: object) => { row?: Advisory; unread?: string };
  findMissing: (list: AdvisoryList, records: object[]) => { rows: Advisory[]; unread: string[] };
  addRows: (text: string, missing: { rows: Advisory[]; unread: string[] }, today: string) => string;
}
const script = (await import(join(root, 'scripts/advisories.mjs'))) as Script;
const text = readFileSync(join(root, 'charts/n8n-tuned/files/advisories.yaml'), 'utf8');
const list = parse(text) as AdvisoryList;

/** An invented record in the format of GitHub's advisory database. */
const record = (more: object = {}) => ({
  ghsa_id: 'GHSA-2222-3333-4444',
  cve_id: 'CVE-2027-10001',
  summary: 'n8n: A made-up  hole in the Example node.',
  severity: 'high',
  published_at: '2027-01-05T10:00:00Z',
  withdrawn_at: null,
  cvss_severities: {
    cvss_v4: { score: 8.7, vector_string: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' },
  },
  vulnerabilities: [
    {
      package: { ecosystem: 'npm', name: 'n8n' },
      vulnerable_version_range: '>= 2.50.0, < 2.50.3',
      first_patched_version: '2.50.3',
    },
    {
      package: { ecosystem: 'npm', name: 'n8n' },
      vulnerable_version_range: '< 1.123.99',
      first_patched_version: '1.123.99',
    },
    {
      package: { ecosystem: 'npm', name: 'n8n-core' },
      vulnerable_version_range: '< 9.0.0',
      first_patched_version: '9.0.0',
    },
  ],
  ...more,
});
const inVersions = (range: string, patched: string | null = null) => ({
  vulnerabilities: [
    { package: { ecosystem: 'npm', name: 'n8n' }, vulnerable_version_range: range, first_patched_version: patched },
  ],
});

test('a record becomes a row', () => {
  expect(script.toRow(record()).row).toEqual({
    ...{ id: 'CVE-2027-10001', ghsa: 'GHSA-2222-3333-4444', title: 'A made-up hole in the Example node' },
    ...{ severity: 'high', cvss: 8.7, needs: 'none', date: '2027-01-05', source: 'GitHub advisory' },
    affected: [
      ['0.0.0', '1.123.99'],
      ['2.50.0', '2.50.3'],
    ],
  });
});

test.each<[string, object, object]>([
  ['without a CVE', { cve_id: null }, { id: 'GHSA-2222-3333-4444' }],
  ['without a rating', { severity: 'unknown', cvss_severities: {} }, { severity: 'unrated', needs: 'login' }],
  ['for an account', { cvss_severities: { cvss_v3: { score: 6.5, vector_string: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N' } } }, { cvss: 6.5, needs: 'login' }], // prettier-ignore
  ['for an administrator', { cvss_severities: { cvss_v3: { score: 6.5, vector_string: 'CVSS:3.1/AV:N/AC:L/PR:H/UI:N' } } }, { needs: 'admin' }], // prettier-ignore
  ['up to a version', inVersions('<= 2.50.2', '2.50.3'), { affected: [['0.0.0', '2.50.3']] }],
])('a record %s', (_, more, row) => expect(script.toRow(record(more)).row).toMatchObject(row));

test.each([['= 2.50.0'], ['<= 2.50.2'], ['>= 2.50.0'], ['< latest']])('versions %s cannot be a range', (range) => {
  expect(script.toRow(record(inVersions(range)))).toEqual({ unread: 'CVE-2027-10001' });
});

test('only advisories that are not in the list are new, and none that was withdrawn', () => {
  const [known] = list.advisories;
  const records = [
    record(),
    record({ cve_id: known!.id }),
    record({ ghsa_id: list.advisories.find(({ ghsa }) => ghsa)!.ghsa, cve_id: null }),
    record({ cve_id: 'CVE-2027-10002', withdrawn_at: '2027-01-06T00:00:00Z' }),
    record({ cve_id: list.unread[0], ...inVersions('= 2.50.0') }),
    record({ cve_id: 'CVE-2027-10003', ghsa_id: 'GHSA-2222-3333-5555', ...inVersions('= 2.50.0') }),
  ];
  const { rows, unread } = script.findMissing(list, records);
  expect([rows.map(({ id }) => id), unread]).toEqual([['CVE-2027-10001'], ['CVE-2027-10003']]);
});

test('adding rows keeps the list valid and its comments, and updates its date', () => {
  const read = record({ cve_id: list.unread[0], ghsa_id: 'GHSA-2222-3333-6666' });
  const missing = script.findMissing(list, [record(), read]);
  const written = script.addRows(text, missing, '2027-01-10');
  const after = advisoryListSchema.parse(parse(written));
  expect(after).toMatchObject({ date: '2027-01-10', newest: ['1.123.99', '2.50.3', '3.2.2'] });
  expect(after.unread).not.toContain(list.unread[0]);
  expect(after.advisories.map(({ id }) => id)).toEqual([
    'CVE-2027-10001',
    list.unread[0],
    ...list.advisories.map(({ id }) => id),
  ]);
  const comments = (of: string) => of.match(/^#.*$/gm);
  expect(comments(written)).toEqual(comments(text));
});
