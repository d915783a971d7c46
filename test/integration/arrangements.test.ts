import type { StepRecord } from '../../capacity/src/model/step.js';
import type { DeploymentRecord } from '../../capacity/src/model/run.js';
import type { InstanceSample } from '../../capacity/src/model/sample.js';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { execa } from 'execa';

jest.setTimeout(180_000);

interface Seen {
  deployment: DeploymentRecord;
  step: StepRecord;
  /** Requests by process id. */
  served: Record<string, number>;
  instances: InstanceSample[];
}

/** Drives a server in an arrangement, and expects that it leaves no process and no folder behind. */
async function drive(server: string, arrangement: string, processes: number): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'arranged-'));
  const stub = join(import.meta.dirname, 'stub-arranged.mjs');
  const args = [stub, server, arrangement, String(processes), folder];
  const child = execa(process.execPath, args, { reject: false, stdin: 'ignore' });
  const { exitCode, stdout, stderr } = await child;
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}:\n${stderr}`);
  const scratch = `n8n-tuned-${child.pid}-`;
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(scratch))).toEqual([]);
  expect(findProcesses(folder, scratch)).toEqual([]);
  return JSON.parse(stdout) as Seen;
}

/** Command lines of the processes with one of the texts in their command line or environment. */
function findProcesses(...texts: string[]): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) =>
      texts.some((text) => `${readProcFile(pid, 'cmdline')} ${readProcFile(pid, 'environ')}`.includes(text)),
    )
    .map((pid) => readProcFile(pid, 'cmdline'));
}

function readProcFile(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // the process has ended
  }
}

test.each([
  ['bare', 'one', 1, ['bare-0']],
  ['express', 'one', 1, ['express-0']],
  ['bare', 'turns', 2, ['bare-0', 'bare-1']],
  ['express', 'cluster', 3, ['express-0']],
  ['bare', 'pm2', 2, ['bare-0']],
  ['bare', 'nginx', 3, ['bare-0', 'bare-1', 'bare-2', 'nginx']],
  ['bare', 'iptables', 3, ['bare-0', 'bare-1', 'bare-2']],
])('%s, %s of %d: all serve, and nothing is left', async (server, arrangement, processes, names) => {
  const { step, served, instances, deployment } = await drive(server, arrangement, processes);
  expect({ failures: step.summary.failures, events: step.events }).toEqual({ failures: {}, events: [] });
  expect(step.executions).toBeNull();
  const counts = Object.values(served);
  expect(counts).toHaveLength(processes);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(counts.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(step.summary.answered);
  expect(instances.map(({ name }) => name)).toEqual(names);
  expect(deployment.instances.map(({ name }) => name)).toEqual(names.filter((name) => name !== 'nginx'));
});

test.each([
  ["Node's cluster", 'cluster'],
  ['PM2, with the file that is printed for it', 'pm2'],
])('n8n 2.41.1 under %s: both webhook processors serve, and executions are not counted', async (_, how) => {
  const seen = await drive('n8n', how, 2);
  expect({ answered: seen.step.summary.answered > 0, failures: seen.step.summary.failures }).toEqual({
    answered: true,
    failures: {},
  });
  expect(seen.step.executions).toBeNull();
  const counts = Object.values(seen.served);
  expect(counts).toHaveLength(2);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(counts.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(seen.step.summary.answered);
});

test('after Ctrl-C twice, a command in a network namespace still ends the processes that it started', async () => {
  const child = execa(process.execPath, [join(import.meta.dirname, 'stub-network.mjs')], {
    reject: false,
    stdin: 'ignore',
    timeout: 30_000,
  });
  // The output of the stub, and that of the command inside its network namespace.
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk);
    if (/(inside|asked to end)\n$/.test(printed)) child.kill('SIGINT');
  });
  expect((await child).exitCode).toBe(130);
  expect(printed).toBe('inside\nasked to end\nended in order\n');
});
