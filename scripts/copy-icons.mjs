// tsc compiles TypeScript only; n8n reads a node's icon and codex file beside the compiled node.
import { cpSync } from 'node:fs';

const besides = (path) => !path.includes('.') || /\.(svg|json)$/.test(path);
cpSync('nodes', 'dist/nodes', { recursive: true, filter: besides });
