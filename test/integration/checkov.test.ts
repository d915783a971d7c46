import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { chart, render, type Values, valuesFiles } from '../chart/render.js';

jest.setTimeout(600_000);

interface Exception {
  check: string;
  resource?: string;
  file?: string;
  reason: string;
}
interface Finding {
  check_id: string;
  check_name: string;
  resource: string;
  file_path: string;
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const exceptions = parse(readFileSync(path('./checkov/exceptions.yaml'), 'utf8')) as Exception[];

const covers = ({ check, resource = '', file = '' }: Exception, finding: Finding): boolean =>
  new RegExp(`^(${check})$`).test(finding.check_id) &&
  new RegExp(resource).test(finding.resource) &&
  new RegExp(file).test(finding.file_path);

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-checkov-'));
afterAll(() => rmSync(folder, { recursive: true }));

let findings: Finding[];
let passed: number;
beforeAll(async () => {
  for (const file of valuesFiles()) {
    const values = (parse(readFileSync(join(chart, file), 'utf8')) ?? {}) as Values;
    const objects = render(values, 'n8n-tuned', 'n8n');
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), objects.map((object) => stringify(object)).join('---\n'));
  }
  const { stdout } = await execa(path('../../scripts/checkov.sh'), [
    ...['--directory', folder, '--framework', 'kubernetes', '--output', 'json'],
    // checkov downloads nothing, and exits 0 despite findings.
    ...['--skip-download', '--soft-fail', '--quiet', '--compact'],
  ]);
  const { results, summary } = JSON.parse(stdout);
  expect(summary.parsing_errors).toBe(0);
  findings = results.failed_checks;
  passed = summary.passed;
});

test(`checkov has checked ${valuesFiles().length} values files`, () => {
  expect(passed).toBeGreaterThan(100 * valuesFiles().length);
});

test('every finding is explained', () => {
  const unexplained = findings.filter((finding) => !exceptions.some((exception) => covers(exception, finding)));
  expect(unexplained.map((f) => `${f.check_id} ${f.check_name}: ${f.resource} in ${basename(f.file_path)}`)).toEqual(
    [],
  );
});

test.each(exceptions)('$check: the exception is needed', (exception) => {
  expect(exception.reason).toMatch(/\w{3}/);
  expect(findings.some((finding) => covers(exception, finding))).toBe(true);
});
