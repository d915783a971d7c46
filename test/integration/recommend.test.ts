import type { RunRecord } from '../../capacity/src/model/run.js';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { parse } from 'yaml';
import { chartFolder, repositoryFolder } from '../../capacity/src/core/paths.js';
import { helm } from '../support/tools.js';
import { cli } from './cli.js';

jest.setTimeout(60_000);

const EXAMPLE = join(repositoryFolder, 'docs', 'example-run');
/** The example run, with so much memory that what was used fits with headroom. */
const ROOMY = join(mkdtempSync(join(tmpdir(), 'recommend-')), 'run');
const recommend = (...args: string[]) => cli('recommend', ...args);

const scratch = dirname(ROOMY);
afterAll(() => rmSync(scratch, { recursive: true }));

beforeAll(() => {
  cpSync(EXAMPLE, ROOMY, { recursive: true });
  const file = join(ROOMY, 'run.json');
  const run = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  for (const { limits } of run.deployment.instances) limits.memoryBytes = 4 * 2 ** 30;
  writeFileSync(file, JSON.stringify(run));
  writeFileSync(join(ROOMY, 'values.given.yaml'), 'main: {resources: {limits: {memory: 4Gi}}}\n');
});

test('recommend prints the values that held and the command that confirms them, with exit code 0', async () => {
  const { exitCode, stdout, stderr } = await recommend(ROOMY);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('CAPACITY');
  expect(stderr).toContain(`n8n-capacity confirm ${ROOMY}`);
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', '-'], { input: stdout });
});

test('recommend writes a file that only its owner can read', async () => {
  const file = join(scratch, 'values.yaml');
  const { exitCode, stdout } = await recommend(ROOMY, '-o', file);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ main: {} });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('recommend exits with 1 and prints no values if no load meets the target', async () => {
  const { exitCode, stdout, stderr } = await recommend(EXAMPLE, '--target', '20/s');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('FAIL');
});
