/**
 * Makes the `npm-shrinkwrap.json` of a package of this repository from the package-lock.json of the root, so that every machine
 * installs the versions that the tests ran. Entries have no address: npm takes them from its configured registry, and checks their
 * digests.
 */

/** Fields of an entry that hold only for the root of the lock file. */
const OF_THE_ROOT = ['dev', 'devOptional', 'optional', 'peer', 'extraneous', 'resolved', 'link', 'funding'];

/**
 * @param {{packages: Record<string, object>}} lock package-lock.json of the repository, version 3
 * @param {string} workspace the folder of the workspace whose dependencies these are, such as `capacity`
 * @param {object} manifest package.json of the published package
 * @param {Record<string, object>} bundled entries of the packages that are bundled, by name; they bring no others
 * @returns {object} the content of npm-shrinkwrap.json
 * @throws Error for a dependency that the lock file lacks, or for two versions of one package at one path
 */
export function shrinkwrap(lock, workspace, manifest, bundled = {}) {
  const found = findReachable(lock.packages, workspace, manifest, Object.keys(bundled));
  const packages = {};
  for (const [key, isOptional] of found) {
    const at = key.startsWith(`${workspace}/`) ? key.slice(workspace.length + 1) : key;
    if (packages[at])
      throw new Error(`${at}: ${packages[at].version} and ${lock.packages[key].version} are both needed there`);
    const kept = Object.entries(lock.packages[key]).filter(([name]) => !OF_THE_ROOT.includes(name));
    packages[at] = { ...Object.fromEntries(kept), ...(isOptional && { optional: true }) };
  }
  for (const [name, entry] of Object.entries(bundled)) packages[`node_modules/${name}`] = { ...entry, inBundle: true };
  const { name, version, license, dependencies, bundleDependencies, bin, engines } = manifest;
  return {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: {
      '': { name, version, license, bundleDependencies, dependencies, bin, engines },
      ...Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** Keys of the lock file that the manifest's dependencies reach, and whether only optional dependencies reach them. */
function findReachable(packages, workspace, manifest, bundled) {
  const found = new Map();
  const open = listDependencies(manifest).map((edge) => ({ ...edge, from: workspace }));
  for (let edge = open.shift(); edge; edge = open.shift()) {
    if (bundled.includes(edge.name)) continue;
    const key = resolveKey(packages, edge.from, edge.name);
    if (key === undefined) {
      if (edge.isOptional) continue;
      throw new Error(`${edge.name}, which ${edge.from} needs, is not in package-lock.json; run npm install`);
    }
    // Already found, and this edge changes nothing.
    if (found.get(key) === false || (found.has(key) && edge.isOptional)) continue;
    found.set(key, edge.isOptional);
    for (const next of listDependencies(packages[key]))
      open.push({ ...next, from: key, isOptional: next.isOptional || edge.isOptional });
  }
  return found;
}

/** The dependencies of a package. An optional peer is not installed. */
function listDependencies({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [
    ...[...Object.keys(dependencies), ...peers]
      .filter((name) => !(name in optionalDependencies))
      .map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
  ];
}

/** The key of a package as Node resolves it: in the own node_modules of `from`, then in those of the folders above. */
function resolveKey(packages, from, name) {
  for (
    let folder = from;
    ;
    folder = folder.includes('/') ? folder.replace(/\/?(node_modules\/)?(@[^/]+\/)?[^/]+$/, '') : ''
  ) {
    const key = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[key]) return key;
    if (folder === '') return undefined;
  }
}
