import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { cgroupHierarchy, createCgroup, sweepCgroups } from '../../../../capacity/src/provision/process/cgroup.js';

const limits = { cpuMillis: 500, memoryBytes: 1024 * 2 ** 20 };
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

/** Files of a cgroup exist before they are written; a folder of this test's own stands in for the kernel's. */
function root(...folders: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'cgroup-'));
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
  return folder;
}

test('v1: quota and limit in their own hierarchies', async () => {
  const folder = root('cpu', 'memory');
  for (const controller of ['cpu', 'memory']) writeFileSync(join(folder, controller, 'cgroup.procs'), '');
  const { hierarchy, notice } = await cgroupHierarchy(folder);
  expect(notice).toEqual({ enforced: true, detail: 'cgroup v1' });
  const group = await createCgroup(hierarchy!, '1-main-0', limits);
  expect(read(folder, 'cpu/n8n-tuned/1-main-0/cpu.cfs_quota_us')).toBe('50000');
  expect(read(folder, 'memory/n8n-tuned/1-main-0/memory.limit_in_bytes')).toBe(String(2 ** 30));
  writeFileSync(
    join(folder, 'memory/n8n-tuned/1-main-0/memory.oom_control'),
    'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
  );
  expect(await group.oomKills()).toBe(3);
});

test('v2: one folder, and an OOM kill takes the whole container', async () => {
  const folder = root();
  writeFileSync(join(folder, 'cgroup.controllers'), 'cpu memory');
  const { hierarchy, notice } = await cgroupHierarchy(folder);
  expect(notice.detail).toBe('cgroup v2');
  const group = await createCgroup(hierarchy!, '1-main-0', limits);
  expect(read(folder, 'cgroup.subtree_control')).toBe('+cpu +memory');
  expect(read(folder, 'n8n-tuned/1-main-0/cpu.max')).toBe('50000 100000');
  expect(read(folder, 'n8n-tuned/1-main-0/memory.max')).toBe(String(2 ** 30));
  expect(read(folder, 'n8n-tuned/1-main-0/memory.oom.group')).toBe('1');
  writeFileSync(join(folder, 'n8n-tuned/1-main-0/memory.events'), 'low 0\noom 1\noom_kill 2\n');
  expect(await group.oomKills()).toBe(2);
});

test('folders that no kernel made enforce nothing, and the record says so', async () => {
  const folder = root('cpu', 'memory');
  const { hierarchy, notice } = await cgroupHierarchy(folder);
  expect(hierarchy).toBeUndefined();
  expect(notice).toEqual({ enforced: false, detail: `no cpu controller under ${folder}` });
});

describe('groups that a killed run left', () => {
  afterEach(() => jest.restoreAllMocks());

  /** Ids that got a signal when a group with these ids is swept. */
  async function swept(pids: string): Promise<unknown[]> {
    const unified = root('9-main-0');
    writeFileSync(join(unified, '9-main-0', 'cgroup.procs'), pids);
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    await sweepCgroups({ version: 2, unified }, (name) => name === '9-main-0');
    return kill.mock.calls.map(([pid]) => pid);
  }

  test('lose their processes, and neither 0, which is our own group, nor 1 gets a signal', async () => {
    expect(await swept(`0\n1\n-1\nx\n${process.pid}\n`)).toEqual([process.pid]);
  });

  test('remain if they are of another user', async () => {
    jest.spyOn(process as Required<NodeJS.Process>, 'geteuid').mockReturnValue(4_000_000);
    expect(await swept(`${process.pid}\n`)).toEqual([]);
  });
});
