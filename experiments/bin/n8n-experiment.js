#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli.js', import.meta.url);

if (existsSync(cli)) {
  await import(cli.href);
} else {
  console.error('n8n-experiment is not built yet; run: make build');
  process.exitCode = 3;
}
