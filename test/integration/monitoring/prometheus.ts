import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import getPort from 'get-port';
import { stringify } from 'yaml';
import { repositoryFolder } from '../../../capacity/src/core/paths.js';

/** A scrape target: an address, and the labels that prometheus-operator would give its series. */
export interface Target {
  url: string;
  labels: Record<string, string>;
}

/** Result of an instant query: the labels and the value of each series. */
export type Vector = { metric: Record<string, string>; value: [time: number, value: string] }[];

export interface Rule {
  type: 'alerting' | 'recording';
  name: string;
  query: string;
  health: string;
  lastError?: string;
}

/** Folder of prometheus and promtool. The first call builds them, which takes 10 min. */
export const ensureBinaries = async (): Promise<string> => {
  const { stdout } = await execa(join(repositoryFolder, 'tools/cluster-lab/prometheus.sh'), { timeout: 1_500_000 });
  return stdout.trim();
};

/** A real Prometheus that scrapes these targets and evaluates these groups of rules each second. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    private readonly child: ReturnType<typeof execa>,
  ) {}

  static async start(bin: string, targets: Target[], groups: object[]): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-prometheus-'));
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }));
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [join(folder, 'rules.yaml')],
      scrape_configs: targets.map(({ url, labels }, index) => ({
        job_name: `target-${index}`,
        metrics_path: new URL(url).pathname,
        // Keeps the labels of another exporter's series about n8n's pods.
        honor_labels: Object.keys(labels).length === 0,
        static_configs: [{ targets: [new URL(url).host], labels }],
      })),
    };
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
    const port = await getPort({ host: '127.0.0.1' });
    const address = `127.0.0.1:${port}`;
    const args = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`];
    const child = execa(join(bin, 'prometheus'), [...args, `--web.listen-address=${address}`], {
      stdin: 'ignore',
      reject: false,
      all: true,
    });
    const prometheus = new Prometheus(`http://${address}`, child);
    for (let i = 0; !(await prometheus.ready()); i++) {
      if (i === 100 || child.exitCode !== null) {
        child.kill();
        throw new Error(`Prometheus does not start:\n${(await child).all}`);
      }
      await sleep(200);
    }
    return prometheus;
  }

  private async ready(): Promise<boolean> {
    return fetch(`${this.url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private async api(path: string): Promise<any> {
    const answer = await (await fetch(`${this.url}/api/v1/${path}`)).json();
    if (answer.status !== 'success') throw new Error(`${decodeURIComponent(path)}: ${answer.error}`);
    return answer.data;
  }

  async query(expression: string): Promise<Vector> {
    return (await this.api(`query?query=${encodeURIComponent(expression)}`)).result;
  }

  /** Repeats the query until it has a result, for at most `seconds`. */
  async untilData(expression: string, seconds: number): Promise<Vector> {
    for (const end = Date.now() + seconds * 1000; ; await sleep(500)) {
      const result = await this.query(expression);
      if (result.length > 0 || Date.now() > end) return result;
    }
  }

  async rules(): Promise<Rule[]> {
    return (await this.api('rules')).groups.flatMap((group: { rules: Rule[] }) => group.rules);
  }

  /** Each series selector in an expression, as a separate expression. */
  async selectors(expression: string): Promise<string[]> {
    const found = new Set<string>();
    const visit = (node: any): void => {
      if (node === null || typeof node !== 'object') return;
      if (node.type === 'vectorSelector') {
        const matchers = node.matchers.map((m: any) => `${m.name}${m.type}${JSON.stringify(m.value)}`);
        found.add(`{${matchers.join(',')}}`);
      }
      Object.values(node).forEach(visit);
    };
    visit(await this.api(`parse_query?query=${encodeURIComponent(expression)}`));
    return [...found];
  }

  async stop(): Promise<void> {
    this.child.kill();
    await this.child;
  }
}
