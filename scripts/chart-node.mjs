// Writes the built node package into one file of the chart, from which a ConfigMap is rendered. With it, load targets need
// neither an image nor a registry. The file is a build product and not committed.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

const PRODUCT = 'charts/n8n-tuned/files/n8n-nodes-tuned.json';

const isNeeded = (path) => !path.endsWith('.d.ts') && !path.includes('/.') && statSync(path).isFile();
const built = ['dist/credentials', 'dist/nodes']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => `${folder}/${path}`))
  .filter(isNeeded)
  .sort();

/** The content of a file without comments: `kubectl apply` also keeps the ConfigMap in an annotation, which may have 256 KiB. */
function readContent(path) {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.js')) return text;
  const { ES2022: target } = ts.ScriptTarget;
  const compilerOptions = { target, module: ts.ModuleKind.CommonJS, removeComments: true };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

const { name, version, n8n } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = Object.fromEntries(built.map((path) => [path, readContent(path)]));
// Only what n8n reads. The whole package.json would change with each development dependency, and restart pods.
files['package.json'] = JSON.stringify({ name, version, n8n });
writeFileSync(PRODUCT, JSON.stringify(files, null, 1) + '\n');
