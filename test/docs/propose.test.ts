import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Runs scripts/propose.sh in a temporary repository, with a `gh` that records its arguments. */

const script = join(import.meta.dirname, '../../scripts/propose.sh');
const scratch = mkdtempSync(join(tmpdir(), 'propose-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' });

let number = 0;
/** Changes the working tree of a clone by `change`, and runs the script with the patch. */
function propose(change: (clone: string) => void, branch = 'advisories', body = 'x') {
  const folder = join(scratch, String(number++));
  const [origin, clone, proposal, bin] = ['origin', 'clone', 'proposal', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [origin, proposal, bin, join(clone, 'charts/n8n-tuned/files'), join(clone, 'scripts')])
    mkdirSync(path, { recursive: true });
  git(origin, 'init', '--quiet', '--bare');
  git(clone, 'init', '--quiet');
  git(clone, 'remote', 'add', 'origin', origin);
  writeFileSync(join(clone, 'charts/n8n-tuned/files/advisories.yaml'), 'a\n');
  writeFileSync(join(clone, 'scripts/propose.sh'), 'a\n');
  git(clone, 'add', '.');
  git(clone, '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--quiet', '-m', 'x');
  change(clone);
  git(clone, 'add', '--all');
  writeFileSync(join(proposal, 'change.patch'), git(clone, 'diff', '--cached', '--binary'));
  git(clone, 'reset', '--quiet', '--hard');
  writeFileSync(join(proposal, 'body.txt'), body);
  writeFileSync(
    join(bin, 'gh'),
    `#!/bin/sh\necho "$@" >>'${folder}/gh.txt'\n[ "$1 $2" = 'pr list' ] && echo 0\nwhile [ $# -gt 0 ]; do [ "$1" = --body-file ] && cp "$2" '${folder}/body.md'; shift; done\nexit 0\n`,
  );
  chmodSync(join(bin, 'gh'), 0o755);
  const { status, stderr } = spawnSync(script, [proposal, branch, 'A title'], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  const pushed = git(origin, 'branch', '--list', '--format=%(refname:short)').trim();
  return { status, stderr, pushed, folder };
}
const list = (clone: string) => join(clone, 'charts/n8n-tuned/files/advisories.yaml');

test('a change of the list is pushed and proposed, and its text stays within its fence', () => {
  const { status, stderr, pushed, folder } = propose(
    (clone) => writeFileSync(list(clone), 'b\n'),
    'advisories',
    'new\n```\n# free\n',
  );
  expect({ status, stderr, pushed }).toEqual({ status: 0, stderr: '', pushed: 'advisories' });
  expect(readFileSync(join(folder, 'gh.txt'), 'utf8')).toContain('pr create --head advisories --title A title');
  expect(readFileSync(join(folder, 'body.md'), 'utf8').match(/^```/gm)).toHaveLength(2);
});

test('without a change nothing is proposed', () => {
  expect(propose(() => undefined)).toMatchObject({ status: 0, pushed: '' });
});

test.each<[string, (clone: string) => void, string?]>([
  ['a script', (clone) => writeFileSync(join(clone, 'scripts/propose.sh'), 'b\n')],
  [
    'a workflow',
    (clone) => {
      mkdirSync(join(clone, '.github/workflows'), { recursive: true });
      writeFileSync(join(clone, '.github/workflows/x.yml'), 'on: push\n');
    },
  ],
  [
    'the list as a link',
    (clone) => {
      unlinkSync(list(clone));
      symlinkSync('/etc/passwd', list(clone));
    },
  ],
  ['the mode of the list', (clone) => chmodSync(list(clone), 0o755)],
  ['the list on another branch', (clone) => writeFileSync(list(clone), 'b\n'), 'main'],
])('%s is not changed', (_, change, branch = 'advisories') => {
  expect(propose(change, branch)).toMatchObject({ status: 1, pushed: '' });
});
