import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileNames } from '../../../capacity/src/chart/profiles.js';

const bin = join(import.meta.dirname, '../../../capacity/bin/n8n-capacity.js');
const folder = mkdtempSync(join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (...args: string[]) => spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: 'utf8' });

/** What the tool suggests after these words, the last of which is not complete. */
const suggested = (...words: string[]): string[] => {
  const { status, stdout } = run('complete', '--', ...words);
  expect(status).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0]!);
};

test('commands, all flags of a command, and the values of some', () => {
  expect(suggested('re')).toEqual(['recommend', 'report']);
  expect(suggested('validate', '--seed').sort()).toEqual(['--seed', '--seed-executions']);
  expect(suggested('validate', '--profile', '')).toEqual(profileNames());
  expect(suggested('sweep', 'plan.yaml', '--provisioner', 'k')).toEqual(['kubernetes']);
});

test('the help of validate still shows only its first flags', () => {
  const { stdout } = run('validate', '--help');
  expect(stdout).toContain('--target');
  expect(stdout).not.toContain('--seed-executions');
});

test.each([
  ['zsh', '#compdef n8n-capacity'],
  ['fish', 'complete -c n8n-capacity'],
])('a script for %s', (shell, part) => {
  const { status, stdout, stderr } = run('completion', shell);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(part);
});

test('an unknown shell is refused', () => expect(run('completion', 'tcsh').status).toBe(3));

test('its help has examples and exit codes', () => {
  const { stdout } = run('completion', '--help');
  expect(stdout).toMatch(/^Examples:$[^]*n8n-capacity completion bash[^]*^Exit codes:$/m);
});

test('bash completes a flag with the script', () => {
  writeFileSync(join(folder, 'script'), run('completion', 'bash').stdout);
  const bash = `
    n8n-capacity() { ${process.execPath} ${bin} "$@"; }
    # As bash-completion does, for words without "=" and ":".
    _get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; prev=\${words[cword-1]}; }
    compopt() { :; } # works only while the shell completes
    source ./script
    COMP_WORDS=(n8n-capacity validate --profile qu); COMP_CWORD=3; COMP_TYPE=9
    __n8n_capacity_complete
    printf '%s\\n' "\${COMPREPLY[@]}"
    complete -p n8n-capacity`;
  const { stdout, stderr } = spawnSync('bash', ['-c', bash], { cwd: folder, encoding: 'utf8' });
  expect({
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => line.trim()),
    stderr,
  }).toEqual({
    lines: ['queue', expect.stringContaining('__n8n_capacity_complete')],
    stderr: '',
  });
});

test('a mistake in the config file does not disturb it', () => {
  writeFileSync(join(folder, 'n8n-capacity.yaml'), 'validate: [');
  expect(suggested('val')).toEqual(['validate']);
  rmSync(join(folder, 'n8n-capacity.yaml'));
});
