import { execa } from 'execa';
import { mkdtemp, mkdir, writeFile, rm } from 'fs/promises';
import { tmpdir } from 'os';
import { join } from 'path/posix';
import { parse } from 'yaml';
import type { Values } from '../model/plan.js';
import { helmArguments } from './values-flags.js';

/** The user's values as helm merges them: a chart with one template prints them, so helm's own rules for assignments apply. */
export async function mergedValues(helm: string, values: Values): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'n8n-tuned-values-'));
  try {
    await mkdir(join(folder, 'templates'));
    await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: values\nversion: 0.0.0\n');
    await writeFile(join(folder, 'templates', 'values.yaml'), '{{ toYaml .Values }}\n');
    const args = ['template', 'values', folder, ...helmArguments(values)];
    const { stdout } = await execa(helm, args, { stdin: 'ignore' });
    return (parse(stdout) as Record<string, unknown> | null) ?? {};
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
