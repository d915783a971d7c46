/**
 * sbom.mjs FOLDER: prints the SBOM (SPDX) of a staged package (scripts/stage.mjs): the package and everything that its shrinkwrap
 * installs. The node package has no shrinkwrap, since n8n installs it beside other nodes. Its SBOM has the versions of its
 * dependencies in the lock file of this repository.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shrinkwrap } from './shrinkwrap.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: sbom.mjs FOLDER');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const manifest = read(join(folder, 'package.json'));
const packed = join(folder, 'npm-shrinkwrap.json');
const lock = existsSync(packed)
  ? read(packed)
  : shrinkwrap(read(join(root, 'package-lock.json')), '', withoutPeers(manifest));

const scratch = mkdtempSync(join(tmpdir(), 'sbom-'));
try {
  writeFileSync(join(scratch, 'package.json'), JSON.stringify(withoutPeers(manifest)));
  writeFileSync(join(scratch, 'package-lock.json'), JSON.stringify(lock));
  const args = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=spdx'];
  process.stdout.write(execFileSync('npm', args, { cwd: scratch, encoding: 'utf8', maxBuffer: 2 ** 28 }));
} finally {
  rmSync(scratch, { recursive: true });
}

/** The manifest without peers. The peer of the node package is n8n itself, which is already installed. */
function withoutPeers({ peerDependencies: _, ...rest }) {
  return rest;
}
