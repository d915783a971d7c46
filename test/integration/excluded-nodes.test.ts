import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { satisfies } from 'semver';
import { parse } from 'yaml';
import { chart } from '../chart/render.js';
import { NodeScan } from './excluded-nodes/scan.js';

/** Compares files/excluded-nodes.yaml of the chart with the nodes of each installed n8n. */

jest.setTimeout(300_000);

const cache = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');
const { excluded, reviewed } = parse(readFileSync(join(chart, 'files/excluded-nodes.yaml'), 'utf8')) as {
  excluded: Record<string, { why: string; versions?: string; unless?: 'runners'; if?: 'sqlite' }>;
  reviewed: { files: Record<string, string>; packages: Record<string, string> };
};
const safe = new Set([...Object.keys(reviewed.files), ...Object.keys(reviewed.packages)]);

const installed = ['n8n-0', 'n8n-1', 'n8n-2'].map((runtime) => {
  const modules = join(cache, 'runtimes', runtime, 'node_modules');
  const { version } = JSON.parse(readFileSync(join(modules, 'n8n/package.json'), 'utf8')) as { version: string };
  return { version, findings: new NodeScan(modules).findings() };
});
const isExcluded = (type: string, version: string): boolean =>
  excluded[type] !== undefined && satisfies(version, excluded[type].versions ?? '*');

describe.each(installed)('n8n $version', ({ version, findings }) => {
  test('every node that can reach files, programs or code is excluded or reviewed', () => {
    const unknown = [...findings]
      .map(([type, reached]) => [type, reached.filter((one) => !safe.has(one))] as const)
      .filter(([type, reached]) => reached.length > 0 && !isExcluded(type, version));
    expect(Object.fromEntries(unknown)).toEqual({});
  });

  test('only nodes that can reach files, programs or code are excluded', () => {
    const types = [...findings.keys()].filter((type) => isExcluded(type, version));
    expect(types.filter((type) => findings.get(type)!.length === 0)).toEqual([]);
  });
});

test('every excluded node and every reviewed file or package exists in one of the installed versions', () => {
  const types = new Set(installed.flatMap(({ findings }) => [...findings.keys()]));
  const reached = new Set(installed.flatMap(({ findings }) => [...findings.values()].flat()));
  expect(Object.keys(excluded).filter((type) => !types.has(type))).toEqual([]);
  expect([...safe].filter((one) => !reached.has(one))).toEqual([]);
});
