import { readFileSync } from 'node:fs';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Version of n8n that the chart deploys by default. */
export const DEPLOYED_N8N: string = /^appVersion: '(.*)'$/m.exec(read('charts/n8n-tuned/Chart.yaml'))![1]!;

/** Version of n8n 2 that tests run: that of runtimes/n8n-2, from which tools/cluster-lab builds its image. */
export const TESTED_N8N: string = (JSON.parse(read('runtimes/n8n-2/package.json')) as { dependencies: { n8n: string } })
  .dependencies.n8n;
