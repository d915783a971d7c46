import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { parse } from 'yaml';
import { chartFolder, repository } from '../../capacity/src/core/paths.js';
import { helm } from '../support/tools.js';
import { cli } from './cli.js';

jest.setTimeout(60_000);

const EXAMPLE = join(repository, 'docs', 'example-run');
const recommend = (...args: string[]) => cli('recommend', ...args);

const scratch = mkdtempSync(join(tmpdir(), 'recommend-'));
afterAll(() => rmSync(scratch, { recursive: true }));

test('values that held are printed, with the command that would confirm them: exit code 0', async () => {
  const { exitCode, stdout, stderr } = await recommend(EXAMPLE);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('CAPACITY');
  expect(stderr).toContain(`n8n-capacity confirm ${EXAMPLE}`);
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', '-'], { input: stdout });
});

test('into a file that its owner alone reads', async () => {
  const file = join(scratch, 'values.yaml');
  const { exitCode, stdout } = await recommend(EXAMPLE, '-o', file);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ main: {} });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('nothing meets it: exit code 1, and no values', async () => {
  const { exitCode, stdout, stderr } = await recommend(EXAMPLE, '--target', '20/s');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('FAIL');
});
