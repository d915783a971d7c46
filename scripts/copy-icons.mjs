// Copies files that tsc does not copy: n8n reads the icon and the codex file of a node beside the compiled node.
import { cpSync } from 'node:fs';

const besides = (path) => !path.includes('.') || /\.(svg|json)$/.test(path);
cpSync('nodes', 'dist/nodes', { recursive: true, filter: besides });
