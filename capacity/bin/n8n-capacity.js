#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/bundle/cli.js', import.meta.url);

if (existsSync(cli)) {
  await import(cli.href);
} else {
  console.error('n8n-capacity is not built yet; run: make build');
  process.exitCode = 3;
}
