import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { advisoriesFor, readAdvisories } from '../../capacity/src/chart/advisories.js';
import { helm } from '../support/tools.js';
import { chart, N8N, notes } from './render.js';

/** Every version at which something begins or is fixed, the ones beside them, pre-releases, and newer ones. */
const VERSIONS = [
  ...new Set([
    ...readAdvisories().advisories.flatMap(({ affected }) => affected.flat()),
    ...[
      '0.221.2',
      '1.123.81',
      '1.123.84',
      '2.41.1',
      '2.41.3',
      '2.41.4-rc.1',
      '2.42.0-exp.1',
      '2.48.3',
      '2.60.0',
      '3.2.2',
      '3.3.0',
      '4.0.0',
    ],
  ]),
];

/** A chart with this one as a subchart: its template asks the subchart's helper for each version. */
const folder = mkdtempSync(join(tmpdir(), 'advisories-'));
const TEMPLATE = `
{{- $list := (index .Subcharts "n8n-tuned").Files.Get "files/advisories.yaml" | fromYaml -}}
said:
{{- range .Values.versions }}
- {{ include "n8n-tuned.advisoriesFor" (dict "list" $list "version" .) }}
{{- end }}
`;
beforeAll(() => {
  mkdirSync(join(folder, 'charts'));
  mkdirSync(join(folder, 'templates'));
  symlinkSync(chart, join(folder, 'charts/n8n-tuned'));
  writeFileSync(join(folder, 'Chart.yaml'), stringify({ apiVersion: 'v2', name: 'ask', version: '1.0.0' }));
  writeFileSync(join(folder, 'templates/versions.yaml'), TEMPLATE);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the chart and n8n-capacity say the same of every version', () => {
  const args = ['template', 'x', folder, '--show-only', 'templates/versions.yaml', '-f', '-'];
  const { stdout, stderr, status } = spawnSync(helm, args, {
    encoding: 'utf8',
    input: stringify({ versions: VERSIONS }),
  });
  expect(status === 0 || stderr).toBe(true);
  const { said } = parse(stdout) as { said: object[] };
  expect(said).toHaveLength(VERSIONS.length);
  said.forEach((of, i) => expect({ version: VERSIONS[i], ...of }).toEqual(advisoriesFor(VERSIONS[i]!)));
});

describe('NOTES', () => {
  it.each([
    [
      '2.41.1',
      /n8n 2\.41\.1 has 13 known vulnerabilities \(list of [\d-]+\), 2 without a login[^]*CVE-2026-110852[^]*Fixed in 2\.41\.4/,
    ],
    ['v2.41.1', /n8n 2\.41\.1 has 13 known/],
    ['2.41.4-rc.1', /n8n 2\.41\.4-rc\.1 has 13 known/],
    ['2.48.3', /No known vulnerability affects n8n 2\.48\.3 \(list of [\d-]+\)/],
    ['2.99.0', /n8n 2\.99\.0 is newer than the list of [\d-]+/],
  ])('of %s', async (tag, text) => expect(await notes({ image: { tag } })).toMatch(text));

  it('of an image by its digest', async () => {
    const image = { digest: `sha256:${'a'.repeat(64)}`, version: '1.123.80' };
    expect(await notes({ image })).toMatch(/n8n 1\.123\.80 has \d+ known vulnerabilities[^]*Fixed in 1\.123\.83/);
  });

  it('of the default: none without a login, and whether the tests ran it', async () => {
    expect(await notes({})).toMatch(
      new RegExp(`n8n ${N8N.replaceAll('.', '\\.')} \\(read: .*[^]*none without a login`),
    );
    expect(await notes({ image: { tag: '1.123.81' } })).toMatch(/n8n 1\.123\.81 \(run\) in regular mode/);
    expect(await notes({ image: { tag: '2.40.0' } })).toMatch(
      /n8n 2\.40\.0 \(read: the tests of this chart run 2\.41\.1, 1\.123\.81, 0\.221\.2\)/,
    );
  });
});
