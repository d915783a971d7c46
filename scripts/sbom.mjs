/**
 * sbom.mjs FOLDER: prints the SBOM (SPDX) of a staged package (scripts/stage.mjs), from the lock of this repository: what npm installs
 * with the package, and what is in the bundle of n8n-capacity.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shrinkwrap } from './shrinkwrap.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: sbom.mjs FOLDER');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const manifest = read(join(folder, 'package.json'));
const capacity = read(join(root, 'capacity', 'package.json'));
const isCapacity = manifest.name === capacity.name;
const node = read(join(root, 'package.json'));
const carried = isCapacity ? { [node.name]: { version: node.version, license: node.license } } : {};
/** The package with all that it carries or installs; n8n itself, the peer of the node package, is there. */
const whole = {
  ...withoutPeers(manifest),
  dependencies: { ...(isCapacity && capacity.dependencies), ...manifest.dependencies },
};
const lock = shrinkwrap(read(join(root, 'package-lock.json')), isCapacity ? 'capacity' : '', whole, carried);

const scratch = mkdtempSync(join(tmpdir(), 'sbom-'));
try {
  writeFileSync(join(scratch, 'package.json'), JSON.stringify(whole));
  writeFileSync(join(scratch, 'package-lock.json'), JSON.stringify(lock));
  const args = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=spdx'];
  process.stdout.write(execFileSync('npm', args, { cwd: scratch, encoding: 'utf8', maxBuffer: 2 ** 28 }));
} finally {
  rmSync(scratch, { recursive: true });
}

function withoutPeers({ peerDependencies: _, ...rest }) {
  return rest;
}
