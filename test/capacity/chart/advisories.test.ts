import semver from 'semver';
import { advisoriesBetween, advisoriesFor, readAdvisories } from '../../../capacity/src/chart/advisories.js';
import { exposureChangeText, exposureText, needsText } from '../../../capacity/src/chart/exposure-text.js';
import type { Advisory, AdvisoryList } from '../../../capacity/src/model/advisories.js';

const row = (id: string, affected: [string, string][], more: Partial<Advisory> = {}): Advisory => ({
  ...{ id, title: 'x', severity: 'unrated', needs: 'login', affected, date: '2026-01-01', source: 'x' },
  ...more,
});
const LIST: AdvisoryList = {
  date: '2026-12-01',
  newest: ['1.9.9', '2.48.3', '3.2.2'],
  unread: [],
  advisories: [
    row('editor', [['0.0.0', '2.42.6']], { needs: 'editor', severity: 'critical' }),
    row('none', [['0.0.0', '1.9.0'], ['2.0.0-0', '2.41.4'], ['2.42.0-0', '2.42.1']], { needs: 'none' }), // prettier-ignore
    row('login', [['0.0.0', '2.47.6']]),
    row('high', [['2.41.0', '2.41.4']], { severity: 'high' }),
  ],
};
const knownIds = (version: string) => advisoriesFor(version, LIST)!.known.map(({ id, fixedIn }) => `${id} ${fixedIn}`);

test.each([
  ['1.8.9', ['none 1.9.0', 'editor 2.42.6', 'login 2.47.6']],
  ['1.9.0', ['editor 2.42.6', 'login 2.47.6']],
  ['2.41.3', ['none 2.41.4', 'editor 2.42.6', 'high 2.41.4', 'login 2.47.6']],
  ['v2.41.3', ['none 2.41.4', 'editor 2.42.6', 'high 2.41.4', 'login 2.47.6']],
  ['2.41.4-rc.1', ['none 2.41.4', 'editor 2.42.6', 'high 2.41.4', 'login 2.47.6']],
  ['2.41.4', ['editor 2.42.6', 'login 2.47.6']],
  ['2.42.0', ['none 2.42.1', 'editor 2.42.6', 'login 2.47.6']],
  ['2.42.0-exp.0', ['none 2.42.1', 'editor 2.42.6', 'login 2.47.6']],
  ['2.47.6', []],
])('advisoriesFor n8n %s lists the worst first, each with the version that fixes it', (version, known) =>
  expect(knownIds(version)).toEqual(known),
);

test.each([
  ['2.48.3', false],
  ['2.48.4', true],
  ['2.60.0', true],
  ['1.10.0', true],
  ['0.221.2', false],
  ['3.2.2', false],
  ['4.0.0', true],
])('n8n %s is newer than the list: %s', (version, isNewer) =>
  expect(advisoriesFor(version, LIST)!.isNewer).toBe(isNewer),
);

test('advisoriesFor returns undefined for a text that is not a version', () => {
  for (const version of ['unknown', 'latest', '']) expect(advisoriesFor(version, LIST)).toBeUndefined();
});

test('an upgrade closes what only the old version has, and opens what only the new one has', () => {
  const change = advisoriesBetween('2.41.3', '2.42.0', LIST)!;
  const of = (key: 'closes' | 'opens' | 'stays') => change[key].map(({ id }) => id);
  expect([of('closes'), of('opens'), of('stays')]).toEqual([['high'], [], ['none', 'editor', 'login']]);
  expect(advisoriesBetween('2.41.3', '2.41.4', LIST)).toMatchObject({ closesWithoutLogin: 1, opens: [] });
  expect(advisoriesBetween('2.41.4', '2.42.0', LIST)!.opens.map(({ id }) => id)).toEqual(['none']);
  expect(advisoriesBetween('2.41.3', 'latest', LIST)).toBeUndefined();
});

test('exposureText names the date of the list, the number of vulnerabilities and the worst', () => {
  const text = (version: string) => exposureText(advisoriesFor(version, LIST)!);
  expect(text('2.41.3')).toBe(
    'n8n 2.41.3 has 4 known vulnerabilities, 1 without a login (list of 2026-12-01); the worst is none, fixed in 2.41.4',
  );
  expect(text('2.47.5')).toBe(
    'n8n 2.47.5 has 1 known vulnerability, none without a login (list of 2026-12-01); the worst is login, fixed in 2.47.6',
  );
  expect(text('3.2.2')).toBe('n8n 3.2.2 has no known vulnerability (list of 2026-12-01)');
  expect(text('2.60.0')).toBe('n8n 2.60.0 is newer than the list of vulnerabilities of 2026-12-01');
  expect(exposureChangeText(advisoriesBetween('2.41.3', '2.41.4', LIST)!)).toBe(
    'closes 2 known vulnerabilities, 1 without a login, opens none, keeps 2 (editor, login) (list of 2026-12-01)',
  );
  expect(needsText({ ...LIST.advisories[0]!, fixedIn: '', where: 'it is used' })).toBe(
    'an account that edits workflows, where it is used',
  );
});

describe('the list', () => {
  const list = readAdvisories();

  test('has each record once, and no record that it lists as unread', () => {
    const all = [...list.advisories.flatMap(({ id, ghsa }) => [id, ghsa].filter(Boolean)), ...list.unread];
    expect(all.filter((id, i) => all.indexOf(id) !== i)).toEqual([]);
    for (const id of all) expect(id).toMatch(/^(CVE-\d{4}-\d{4,}|GHSA(-[23456789cfghjmpqrvwx]{4}){3})$/);
  });

  test.each(list.advisories)('$id has ranges of versions that do not overlap', ({ affected, date }) => {
    const bounds = affected.flat();
    for (const bound of bounds) expect(semver.valid(bound)).toBe(bound);
    expect([...bounds].sort(semver.compare)).toEqual(bounds);
    expect(date <= list.date).toBe(true);
  });

  test('names the newest version of each line, not older than any fix', () => {
    for (const [, fixed] of list.advisories.flatMap(({ affected }) => affected)) {
      const newest = list.newest.find((version) => semver.major(version) === semver.major(fixed))!;
      expect(semver.lte(fixed, newest)).toBe(true);
    }
  });

  test('2.41.4 closes the webhook that starts without its address', () => {
    expect(advisoriesFor('2.41.1')!.known[0]).toMatchObject({
      id: 'CVE-2026-110852',
      needs: 'none',
      fixedIn: '2.41.4',
    });
    expect(advisoriesBetween('2.41.1', '2.41.4')).toMatchObject({ closesWithoutLogin: 2, opens: [] });
  });
});
