/**
 * The layers of capacity/src, in import order: a folder imports only from itself and from those above it. `program.ts`, `cli.ts` and
 * `index.ts`, the public API, come last.
 * docs/architecture.md says what each holds; a new folder is added to both.
 */
const LAYERS = [
  'core',
  'model',
  'stats',
  'tools',
  'chart',
  'workflow',
  'plan',
  'observe',
  'load',
  'provision',
  'judge',
  'record',
  'recommend',
  'report',
  'run',
  'commands',
  'features',
];

/** Rooms of features; `trial` is what several share. Only `features.ts` and `trial` are for all. */
const FEATURES = ['check', 'compare', 'confirm', 'doctor', 'faults', 'forecast', 'pm2', 'sweep', 'tune', 'upgrade'];

const folder = (name) => `^capacity/src/${name}/`;

/** Folders of `within` that do not import each other. */
const siblings = (within, names) =>
  names.map((name) => ({
    name: `${within.split('/').at(-1)}-${name}-stands-alone`,
    severity: 'error',
    from: { path: `^${within}/${name}/` },
    to: { path: `^${within}/(${names.filter((other) => other !== name).join('|')})/` },
  }));

module.exports = {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    ...LAYERS.slice(0, -1).map((name, i) => ({
      name: `${name}-imports-nothing-below-it`,
      severity: 'error',
      from: { path: folder(name) },
      to: { path: [...LAYERS.slice(i + 1).map(folder), '^capacity/src/(cli|index|program)\\.ts$'] },
    })),
    {
      name: 'every-file-has-a-layer',
      comment: 'Add the folder to LAYERS, and to docs/architecture.md.',
      severity: 'error',
      from: {},
      to: { path: '^capacity/src/', pathNot: [...LAYERS.map(folder), '^capacity/src/(cli|index|program)\\.ts$'] },
    },
    ...siblings('capacity/src/provision', ['process', 'kubernetes', 'existing']),
    ...siblings('capacity/src/features', FEATURES),
    {
      name: 'trial-knows-no-feature',
      severity: 'error',
      from: { path: '^capacity/src/features/trial/' },
      to: { path: `^capacity/src/features/(${FEATURES.join('|')})/` },
    },
    {
      name: 'production-code-imports-no-test',
      severity: 'error',
      from: { path: '^(nodes|credentials|capacity/src|experiments)/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'experiments-use-the-public-api',
      comment: 'Import from "n8n-capacity", which is capacity/src/index.ts; export there what is missing.',
      severity: 'error',
      from: { path: '^experiments/' },
      to: { path: '^capacity/', pathNot: '^capacity/src/index\\.ts$' },
    },
    {
      name: 'capacity-knows-no-experiment',
      severity: 'error',
      from: { path: '^capacity/' },
      to: { path: '^experiments/' },
    },
    {
      name: 'nodes-stand-alone',
      severity: 'error',
      from: { path: '^(nodes|credentials)/' },
      to: { path: '^(capacity|experiments)/' },
    },
    {
      name: 'hooks-stand-alone',
      comment: 'n8n loads one built file: what hooks share is in hooks/lib.',
      severity: 'error',
      from: { path: '^hooks/(admission|repairs|accelerators)/([^/]+)/.*\\.js$' },
      to: { path: '^(hooks/(admission|repairs|accelerators)|capacity|test|node_modules)/', pathNot: '^hooks/$1/$2/' },
    },
    {
      name: 'hooks-lib-knows-no-hook',
      severity: 'error',
      from: { path: '^hooks/lib/' },
      to: { path: '^hooks/(admission|repairs|accelerators)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    exclude: { path: '^(experiments/)?dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
