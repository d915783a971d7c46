/**
 * Projects by what they need: `node` and `fast` (nothing but this repository, helm and k6; the hooks' tests stand beside them); `core` (one real run of each
 * mode of n8n, what `make test` adds to them), `integration` (all else with real n8n, Redis and PostgreSQL, in
 * `make test-all`); `cluster` (a Kubernetes).
 * Files run side by side, as many as --maxWorkers says: their loads are far below what n8n takes, and they ask what happens,
 * not how fast.
 * Capacity is ESM, hence `--experimental-vm-modules` in the npm scripts.
 */
const options = (type) => ({ jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type } });

const commonjs = { transform: { '\\.ts$': ['@swc/jest', options('commonjs')] } };

/** With fast built-ins (test/support/transform.cjs): in our files, in simple-statistics, and in CommonJS packages. */
const esm = {
  transform: { '\\.ts$|simple-statistics\\.mjs$': ['<rootDir>/test/support/transform.cjs', options('es6')] },
  transformIgnorePatterns: ['/node_modules/(?!simple-statistics/)'],
  sandboxInjectedGlobals: ['Math'],
  extensionsToTreatAsEsm: ['.ts'],
};

const project = (displayName, testMatch, modules, extra = {}) => ({
  displayName,
  testMatch: testMatch.map((glob) => `<rootDir>/${glob}`),
  ...modules,
  moduleNameMapper: {
    '^n8n-nodes-tuned/dist/(.*)\\.js$': '<rootDir>/$1',
    '^n8n-capacity$': '<rootDir>/capacity/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/capacity/dist/', '<rootDir>/experiments/dist/'],
  ...extra,
});

/** A cluster is one deployment after another, whatever --maxWorkers says. */
const oneAfterAnother = { runner: '<rootDir>/test/support/one-after-another.cjs' };

module.exports = {
  globalSetup: '<rootDir>/test/support/scratch.cjs',
  projects: [
    project('node', ['test/nodes/*.test.ts'], commonjs),
    project(
      'fast',
      ['test/{workflows,chart,loadtests,capacity,experiments,docs,site}/**/*.test.ts', 'hooks/**/*.test.ts'],
      esm,
    ),
    project('core', ['test/integration/core/*.test.ts'], esm),
    project('integration', ['test/integration/*.test.ts'], esm),
    project('cluster', ['test/cluster/*.test.ts'], esm, {
      ...oneAfterAnother,
      globalSetup: '<rootDir>/test/cluster/support/run.ts',
      globalTeardown: '<rootDir>/test/cluster/support/run-end.ts',
      testEnvironment: '<rootDir>/test/cluster/support/environment.cjs',
    }),
  ],
};
