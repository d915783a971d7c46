import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { FaultsFolder } from '../../capacity/src/features/faults/folder.js';
import type { FaultsConclusion } from '../../capacity/src/features/faults/record.js';
import { cli, expectNothingLeft, profile } from './cli.js';

/** Faults in a real deployment. */

jest.setTimeout(900_000);

expectNothingLeft();

/** A light load, so that a busy machine does not change the verdict. */
const LIGHT = ['--rate', '2/s', '--after', '30s', '--settle', '150s'];
const place = () => join(mkdtempSync(join(tmpdir(), 'faults-')), 'run');

test('after a worker is killed, every accepted request is accounted for by id, and report repeats this from the record', async () => {
  const folder = place();
  const files = ['--junit', `${folder}.xml`, '--markdown', `${folder}.md`];
  const { exitCode, stdout, stderr } = await cli(
    ...['faults', ...profile('queue'), '--fault', 'worker-kill', '-o', folder, '--json', ...LIGHT, ...files],
  );
  const conclusion = JSON.parse(stdout) as FaultsConclusion;
  const [row] = conclusion.rows;
  expect({ exitCode, reasons: row!.reasons, stderr }).toMatchObject({ exitCode: 0, reasons: [] });
  const { told, outcomes, ids, exposed } = row!.accounts!;
  expect(told.accepted).toBeGreaterThan(50);
  expect(exposed).toBeGreaterThan(0);
  // n8n does not run the jobs of a dead worker again. rescue.test.ts checks that the executions keep their input.
  expect(outcomes.crashed).toBeGreaterThan(0);
  expect(outcomes.failed).toBe(0);
  expect(outcomes.done + ids.failed.length + ids.crashed.length + ids.twice.length).toBe(told.accepted);

  const [trial] = await new FaultsFolder(folder).trials();
  expect(trial!.requests).toHaveLength(trial!.planned);
  expect(trial!.events).toContainEqual(expect.objectContaining({ kind: 'died', component: 'worker' }));
  const again = await cli('report', folder, '--json');
  expect({ code: again.exitCode, verdict: JSON.parse(again.stdout) as unknown }).toEqual({
    code: 0,
    verdict: conclusion,
  });
  expect(readFileSync(`${folder}.xml`, 'utf8')).toContain('name="worker-kill"');
  expect(readFileSync(`${folder}.md`, 'utf8')).toContain('| worker-kill |');
});

test('with the rescue, every accepted request is done after a worker is killed', async () => {
  const folder = place();
  const rescue = ['enabled=true', 'apiKey.existingSecret=key', 'intervalSeconds=10', 'backoffSeconds=5', 'atOnce=5'];
  const { exitCode, stdout, stderr } = await cli(
    ...['faults', ...profile('queue'), ...rescue.flatMap((value) => ['--set', `rescue.${value}`])],
    ...['--fault', 'worker-kill', '-o', folder, '--json', ...LIGHT],
  );
  const { answer, rows } = JSON.parse(stdout) as FaultsConclusion;
  expect({ exitCode, answer, reasons: rows[0]!.reasons, stderr }).toMatchObject({ exitCode: 0, reasons: [] });
  const { told, outcomes, rescued } = rows[0]!.accounts!;
  expect(rescued.length).toBeGreaterThan(0);
  expect(outcomes.done + outcomes.twice).toBe(told.accepted);
});

test('a refused fault leaves nothing behind', async () => {
  const folder = place();
  const { exitCode, stderr } = await cli(
    ...['faults', ...profile('queue'), '--set', 'worker.replicas=1', '--fault', 'scale-in', '-o', folder],
  );
  expect(stderr).toMatch(/scale-in/);
  expect({ exitCode, left: existsSync(folder) }).toEqual({ exitCode: 3, left: false });
});

test('Ctrl-C in the middle of a fault ends all processes, also frozen ones', async () => {
  const folder = place();
  const child = cli('faults', ...profile('queue'), '--fault', 'redis-unreachable', '-o', folder, ...LIGHT);
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  while (!stderr.includes('Redis unreachable')) {
    if (child.exitCode !== null) throw new Error(stderr);
    await sleep(100);
  }
  await sleep(2000);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  expect(existsSync(join(folder, 'faults.json'))).toBe(true);
  expect(await new FaultsFolder(folder).trials()).toEqual([]);
});
