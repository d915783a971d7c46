/**
 * stub-sweep.mjs PLAN FOLDER
 *
 * Runs a sweep with the built tool over a stub deployment: every request is answered and every execution ends at once, in a
 * step of 0.2 s. Tests kill it and check its records.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { EventLog } from '../../capacity/dist/model/deployment.js';
import { readSweepPlan } from '../../capacity/dist/features/sweep/plan/sweep.js';
import { terminalProgress } from '../../capacity/dist/core/progress.js';
import { sweep } from '../../capacity/dist/features/sweep/run.js';

const HEADER = 'metric_name,timestamp,metric_value,error_code,expected_response,scenario,status,extra_tags';
const TAGS = 'workload=webhook-ack&phase=measure';
const REQUESTS = 20;
const WORKFLOW = 'stub';

class Stub {
  events = new EventLog();
  record = {
    mode: 'regular',
    process: 'main',
    database: 'sqlite',
    limits: { enforced: false, detail: 'stub' },
    instances: [{ name: 'main-0', component: 'main', limits: {} }],
  };
  ended = 0;
  access = {
    endpoints: [],
    token: '',
    generator: { version: 'stub', cores: 1, start: (step) => this.start(step) },
  };
  sources = {
    workflowIds: new Set([WORKFLOW]),
    observer: {
      look: async () => ({
        instances: [
          { name: 'main-0', component: 'main', incarnation: '1', metrics: this.metrics(), usage: this.usage },
        ],
        events: [],
      }),
    },
  };
  usage = { rssBytes: 1, cpuSeconds: 1, processes: 1 };
  metrics = () => ({ counting: true, succeeded: new Map([[WORKFLOW, this.ended]]), failed: new Map() });

  start({ folder, csv }) {
    const finished = (async () => {
      await sleep(200);
      const now = Date.now();
      const rows = Array.from(
        { length: REQUESTS },
        (_, i) => `latency,${(now - REQUESTS + i) * 1000},5,,,s_0_measure,,${TAGS}`,
      );
      await writeFile(join(folder, csv), gzipSync([HEADER, ...rows, ''].join('\n')));
      this.ended += REQUESTS;
      return { exitCode: 0, stderr: '' };
    })();
    return { usage: async () => ({ cpuSeconds: 0, rssBytes: 1 }), finished, kill: () => {} };
  }

  ready = async () => false;
  teardown = async () => {};
}

const prepare = async () => {
  const { limits: _, ...record } = new Stub().record;
  return { versions: { n8n: '0.0.0' }, record, deploy: async () => new Stub() };
};
const [plan, folder] = process.argv.slice(2);
const where = { name: 'process', provisioner: { prepare }, k6Here: false };
await sweep(readSweepPlan(plan), folder, where, terminalProgress());
