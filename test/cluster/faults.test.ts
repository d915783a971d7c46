import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { FaultsConclusion } from '../../capacity/src/features/faults/record.js';
import { cli, profile } from '../integration/cli.js';
import { report } from './support/eventually.js';
import { runNamespaces } from './support/run-namespaces.js';

/** Faults in a cluster: pods are harmed in each way that the command has. */

jest.setTimeout(1_800_000);

/** A light load, so that a busy machine does not judge itself. */
const LIGHT = ['--rate', '2/s', '--after', '30s', '--settle', '150s'];
/** Killed, halted and restarted containers, a queue that is lost, a changed number of replicas. */
const FAULTS = [
  'worker-kill',
  'redis-restart',
  'postgres-restart',
  'postgres-outage',
  'redis-unreachable',
  'rolling-restart',
  'scale-in',
  'node-drain',
];

const folder = mkdtempSync(join(tmpdir(), 'faults-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('each fault happens in the pods, and every accepted request is accounted for', async () => {
  const before = await runNamespaces();
  const { exitCode, stdout, stderr } = await cli(
    ...['faults', ...profile('queue'), '--provisioner', 'kubernetes', '--fault', FAULTS.join(',')],
    ...['-o', join(folder, 'run'), '--json', ...LIGHT],
  );
  const { rows } = JSON.parse(stdout) as FaultsConclusion;
  for (const { fault, verdict, evidence, accounts } of rows)
    report(`${fault}: ${verdict}, ${evidence}, ${JSON.stringify(accounts?.outcomes)}`);
  expect({ exitCode, reasons: rows.flatMap(({ reasons }) => reasons), stderr }).toMatchObject({
    exitCode: 0,
    reasons: [],
  });
  expect(rows.map(({ fault }) => fault)).toEqual(FAULTS);
  for (const { evidence, accounts } of rows) {
    expect(evidence).toBeDefined();
    expect(accounts!.exposed).toBeGreaterThan(0);
  }
  expect(await runNamespaces()).toEqual(before);
});

test('with the rescue, nothing that a killed worker took with it is left crashed', async () => {
  const rescue = ['enabled=true', 'apiKey.existingSecret=n8n-api-key', 'intervalSeconds=10', 'atOnce=10'];
  const { exitCode, stdout, stderr } = await cli(
    ...['faults', ...profile('queue'), '--provisioner', 'kubernetes', '--fault', 'worker-kill', '--rate', '2/s'],
    ...rescue.flatMap((value) => ['--set', `rescue.${value}`]),
    ...['--work', '10s', '--after', '90s', '--settle', '15m', '-o', join(folder, 'rescue'), '--json'],
  );
  const { accounts, reasons } = (JSON.parse(stdout) as FaultsConclusion).rows[0]!;
  report(`${JSON.stringify(accounts?.outcomes)}, ${accounts?.rescued.length} by a retry`);
  expect({ exitCode, reasons, stderr }).toMatchObject({ exitCode: 0, reasons: [] });
  expect(accounts!.outcomes.crashed).toBe(0);
  expect(accounts!.rescued.length).toBeGreaterThan(0);
});
