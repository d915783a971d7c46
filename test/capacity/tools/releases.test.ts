import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { EnvironmentFault } from '../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';

/** A server in the place of the release hosts, and a PATH with only the programs that an install needs. */
const scratch = mkdtempSync(join(tmpdir(), 'releases-'));
const programs = join(scratch, 'bin');
mkdirSync(programs);
for (const name of ['cat', 'chmod', 'gzip', 'sh', 'tar'])
  symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(programs, name));

const before = { ...process.env };
process.env.N8N_TUNED_CACHE = join(scratch, 'cache');
process.env.PATH = programs;
const { ensureK6, ensureHelm, findPrograms } = await import('../../../capacity/src/tools/programs.js');
const { findAsset: assetOf } = await import('../../../capacity/src/tools/releases.js');

const asked: string[] = [];
const served = new Map<string, Buffer>();
const server = createServer((request, response) => {
  asked.push(request.url!);
  const content = served.get(request.url!);
  response.writeHead(content ? 200 : 404).end(content);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  asked.length = 0;
  served.clear();
  process.env.N8N_TUNED_RELEASES = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  rmSync(process.env.N8N_TUNED_CACHE!, { recursive: true, force: true });
  for (const name of ['k6', 'helm', 'go']) rmSync(join(programs, name), { force: true });
});
afterAll(() => {
  server.close();
  process.env = before;
  rmSync(scratch, { recursive: true });
});

const quiet = terminalProgress(true);
const script = (text: string) => `#!/bin/sh\n${text}\n`;
const program = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, script(text));
  chmodSync(path, 0o755);
};

const VERSIONS = { k6: '2.2.0', helm: '4.3.1' };

/** Publishes a program that prints a version, with its own or a wrong checksum. */
function publish(name: 'k6' | 'helm', { prints = `v${VERSIONS[name]}`, sum }: { prints?: string; sum?: string } = {}) {
  const asset = assetOf(name, VERSIONS[name])!;
  const folder = mkdtempSync(join(scratch, 'release-'));
  program(join(folder, asset.program), `echo ${prints}`);
  const archive = execFileSync('tar', ['-C', folder, '-czf', '-', dirname(asset.program)]);
  const sha = sum ?? createHash('sha256').update(archive).digest('hex');
  served.set(`/${name}/${asset.archive}`, archive);
  served.set(
    `/${name}/${asset.checksums}`,
    Buffer.from(`${'0'.repeat(64)}  other.tar.gz\n${sha}  ${basename(asset.archive)}\n`),
  );
}

/** A stub of go, whose builds contain the word `built`. */
const installGoStub = () =>
  program(
    join(programs, 'go'),
    `if [ "$1" = version ]; then echo go version go1.26.8; exit; fi
[ "$1" = build ] && out="$4" || out="$GOBIN/helm"
printf '#!/bin/sh\\necho v9.9.9 built' > "$out"; chmod +x "$out"`,
  );

const wasBuilt = (path: string) => readFileSync(path, 'utf8').includes('built');
const ensure = { k6: ensureK6, helm: ensureHelm };
const NAMES = ['k6', 'helm'] as const;

// These tests need a release for this platform.
const supported = assetOf('k6', VERSIONS.k6) !== undefined && process.platform === 'linux';
const onLinux = supported ? describe : describe.skip;

onLinux.each(NAMES)('%s', (name) => {
  test('is unpacked from the release, and the archive is removed', async () => {
    publish(name);
    installGoStub();
    const path = await ensure[name](quiet);
    expect(wasBuilt(path)).toBe(false);
    expect(execFileSync(path, { encoding: 'utf8' })).toContain(VERSIONS[name]);
    expect(readdirSync(dirname(path)).sort()).toEqual(['.installed', name].sort());
    asked.length = 0;
    expect(await ensure[name](quiet)).toBe(path);
    expect(asked).toEqual([]);
  });

  test('with a wrong checksum is neither installed nor built', async () => {
    publish(name, { sum: 'a'.repeat(64) });
    installGoStub();
    const error: unknown = await ensure[name](quiet).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EnvironmentFault);
    expect((error as Error).message).toContain('a'.repeat(64));
    expect(existsSync(join(process.env.N8N_TUNED_CACHE!, 'tools', name))).toBe(false);
  });

  test('is not installed when the list of checksums lacks the archive', async () => {
    publish(name);
    served.set(`/${name}/${assetOf(name, VERSIONS[name])!.checksums}`, Buffer.from('a page\n'));
    installGoStub();
    await expect(ensure[name](quiet)).rejects.toThrow('checksums');
  });

  test('is built with Go when the host does not have the release', async () => {
    installGoStub();
    expect(wasBuilt(await ensure[name](quiet))).toBe(true);
    expect(asked).not.toEqual([]);
  });

  test('is built with Go when the released program does not run here', async () => {
    publish(name, { prints: 'nothing' });
    installGoStub();
    expect(wasBuilt(await ensure[name](quiet))).toBe(true);
  });

  test('is built with Go, without a request, if downloads are forbidden', async () => {
    publish(name);
    installGoStub();
    process.env.N8N_TUNED_RELEASES = 'none';
    expect(wasBuilt(await ensure[name](quiet))).toBe(true);
    expect(asked).toEqual([]);
  });

  test('without a release and Go, the error has an install command for each system', async () => {
    const error: unknown = await ensure[name](quiet).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EnvironmentFault);
    for (const command of ['apt-get install', 'dnf install', 'brew install'])
      expect((error as Error).message).toContain(`${command} ${name}`);
  });

  test('from PATH is used only if it is new enough', async () => {
    publish(name);
    program(join(programs, name), `echo v${VERSIONS[name]}`);
    expect(await ensure[name](quiet)).toBe(name);
    expect(asked).toEqual([]);
    program(join(programs, name), 'echo v1.9.0');
    expect(await ensure[name](quiet)).not.toBe(name);
    expect(asked).not.toEqual([]);
  });
});

onLinux('findPrograms', () => {
  const states = async () => (await findPrograms()).map(({ name, path, installable }) => [name, path ?? installable]);

  test('reports whether a program can be installed from a release, with Go or not at all', async () => {
    expect(await states()).toEqual([
      ['k6', 'release'],
      ['helm', 'release'],
    ]);
    process.env.N8N_TUNED_RELEASES = 'none';
    expect(await states()).toEqual([
      ['k6', undefined],
      ['helm', undefined],
    ]);
    installGoStub();
    expect(await states()).toEqual([
      ['k6', 'go'],
      ['helm', 'go'],
    ]);
    expect(asked).toEqual([]);
  });

  test('reports the path and version of an installed program', async () => {
    publish('k6');
    const path = await ensureK6(quiet);
    expect((await findPrograms())[0]).toMatchObject({ path, version: VERSIONS.k6 });
  });
});

test.each([
  ['k6', 'linux', 'x64', 'v2.2.0/k6-v2.2.0-linux-amd64.tar.gz'],
  ['k6', 'linux', 'arm64', 'v2.2.0/k6-v2.2.0-linux-arm64.tar.gz'],
  ['k6', 'darwin', 'arm64', 'v2.2.0/k6-v2.2.0-macos-arm64.zip'],
  ['k6', 'win32', 'x64', undefined],
  ['k6', 'linux', 'riscv64', undefined],
  ['helm', 'linux', 'x64', 'helm-v4.3.1-linux-amd64.tar.gz'],
  ['helm', 'darwin', 'arm64', 'helm-v4.3.1-darwin-arm64.tar.gz'],
  ['helm', 'linux', 'riscv64', undefined],
] as const)('the release of %s for %s %s is %s', (name, platform, arch, archive) => {
  expect(assetOf(name, VERSIONS[name], { platform, arch })?.archive).toBe(archive);
});
