import { availableParallelism, cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { sum } from 'simple-statistics';
import { renderChart } from '../../chart/render.js';
import { findRescuePod } from '../../chart/rescue.js';
import { CannotRecord, EnvironmentFault, messageOf, NotReady, UsageError } from '../../core/errors.js';
import { formatAboutSeconds, formatNumber } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import { judgeFault } from './judge/judge.js';
import { createLocalK6 } from '../../load/k6.js';
import type { Deployment, FaultInjector, PostgresAddress, Prepared, Provisioner } from '../../model/deployment.js';
import type { FaultName, FaultsRecord, FaultTrial } from './record.js';
import type { Generator } from '../../model/generator.js';
import { readPostgresAddress } from '../../observe/postgres.js';
import { redactedPlan } from '../../plan/redact.js';
import { kubernetes } from '../../provision/kubernetes/kubernetes-provisioner.js';
import { processProvisioner } from '../../provision/process/process-provisioner.js';
import { makeFolder, writeWhole } from '../../record/files.js';
import { mergedValues } from '../../chart/merged-values.js';
import { faultLine } from './report/terminal.js';
import { ensureHelm, ensureK6 } from '../../tools/programs.js';
import { ensureN8n } from '../../tools/runtimes.js';
import { CATALOGUE } from './catalogue.js';
import { drive } from './drive.js';
import { FaultsFolder } from './folder.js';
import {
  estimateCapacity,
  faultsFor,
  requireNamedExecutions,
  sentRate,
  SHARE,
  timetable,
  type FaultsRequest,
} from './plan.js';
import { startRescue } from './rescue.js';
import { allowLedger, fileLedger, fileWriting } from './ledger/files.js';
import type { Ledger, Writing } from './ledger/ledger.js';
import { postgresLedger, postgresWriting } from './ledger/postgres.js';
import { SmallDisk } from './small-disk.js';
import { accountedWorkflow, faultImports, WEBHOOK, WORKFLOW_ID } from './workflow.js';

interface Context {
  request: FaultsRequest;
  record: FaultsRecord;
  folder: FaultsFolder;
  generator: Generator;
  progress: Progress;
}

/**
 * Tries faults, each in a fresh deployment under load, and records what became of every request. Faults that the folder holds
 * are not tried again, unless the environment prevented it. Leaves nothing running.
 * @throws UsageError or ChartRefused before anything starts if it cannot run, Interrupted if the user ended it
 */
export async function tryFaults(request: FaultsRequest, path: string, progress: Progress): Promise<void> {
  const folder = new FaultsFolder(path);
  const helm = await ensureHelm(progress);
  const given = await mergedValues(helm, request.plan.values);
  const rescue = await hasRescue(request, helm);
  const prepared = await prepareFaults(request, progress);
  const generator = await createLocalK6(await ensureK6(progress));
  const record = { ...makeFaultsRecord(request, prepared, generator), ...(rescue && { rescue }) };
  await folder.giveValues(given);
  const trials = await folder.begin(record).catch(async (error: unknown) => {
    await folder.takeBack();
    throw error;
  });
  const writing = prepared.record.database === 'postgresdb' ? postgresWriting() : fileWriting();
  const workflow = accountedWorkflow(request.workSeconds, writing);
  await writeWhole(join(path, 'workflow.json'), `${JSON.stringify(workflow, null, 2)}\n`);
  const rate = `${formatNumber(record.rate)}/s (${SHARE * 100} % of ${formatNumber(record.capacity)}/s)`;
  progress.line(`${record.faults.length} faults at ${rate}, executions of ${formatNumber(record.workSeconds)} s`);
  const context = { request, record, folder, generator, progress };
  const open = record.faults.filter((name) => !trials.some((trial) => trial.fault === name && !trial.environment));
  for (const [i, fault] of open.entries()) {
    const left = formatAboutSeconds(sum(open.slice(i).map((name) => estimateSeconds(name, record, request, prepared))));
    progress.line(`[${record.faults.indexOf(fault) + 1}/${record.faults.length}] ${fault}, ${left} left`);
    const trial = await tryFault(context, fault, trials.length);
    trials.push(trial);
    await folder.trial(trial);
    progress.line(faultLine(judgeFault(trial, record)));
  }
}

/** Prepares a deployment that can have faults. Throws UsageError or ChartRefused for one that cannot. */
export async function prepareFaults(request: FaultsRequest, progress: Progress): Promise<Prepared> {
  const prepared = await provisionerFor(request).prepare(request.plan, progress);
  requireLedger(request, prepared);
  requireNamedExecutions(prepared.versions.n8n);
  return prepared;
}

/** Seconds that start and end of a deployment take, with the wait for its last executions (chosen). */
const DEPLOYMENT_SECONDS = 60;

/** About how long a fault takes, in seconds; one that leaves executions open takes up to --settle more. */
export const estimateSeconds = (
  fault: FaultName,
  { capacity }: Pick<FaultsRecord, 'capacity'>,
  { workSeconds, afterSeconds }: FaultsRequest,
  { record }: Prepared,
): number =>
  DEPLOYMENT_SECONDS +
  sum(
    timetable(fault, { workSeconds, afterSeconds, capacity, instances: record.instances.length }).parts.map(
      ({ seconds }) => seconds,
    ),
  );

/** Makes a provisioner that imports the workflow that writes the ledger, instead of a load target. */
function provisionerFor({ provisioner, context, workSeconds }: FaultsRequest, disk?: SmallDisk): Provisioner {
  if (provisioner === 'kubernetes')
    return kubernetes({
      ...(context !== undefined && { context }),
      driven: {
        imports: (environment) => faultImports(undefined, workSeconds, ledgerWriting(environment)),
        path: WEBHOOK,
      },
    });
  return processProvisioner({
    driven: {
      imports: (token, environment) => Promise.resolve(faultImports(token, workSeconds, ledgerWriting(environment))),
      webhook: { path: WEBHOOK },
    },
    adapt: async (launch) => allowLedger(disk ? await disk.adapt(launch) : launch),
  });
}

/** Throws UsageError if the ledger cannot be read from this machine. */
function requireLedger({ provisioner }: FaultsRequest, { record }: Prepared): void {
  if (provisioner === 'kubernetes' && record.database !== 'postgresdb')
    throw new UsageError(
      '--provisioner kubernetes: faults keep their ledger in PostgreSQL; use --profile queue, or database.type=postgresql.',
    );
}

/** Whether the values enable the rescue. */
async function hasRescue({ plan }: FaultsRequest, helm: string): Promise<boolean> {
  return plan.foreign === undefined && findRescuePod(await renderChart(helm, plan.values)) !== undefined;
}

const ledgerWriting = (environment: Record<string, string>): Writing => {
  const postgres = ledgerAddress(environment);
  return postgres ? postgresWriting(postgres) : fileWriting(environment);
};

/** Throws EnvironmentFault where the database that holds it cannot be reached. */
async function openLedger(
  { environment, postgres }: FaultInjector,
  version: string,
  progress: Progress,
): Promise<Ledger> {
  if (postgres) return postgresLedger(postgres, environment.DB_POSTGRESDB_SCHEMA);
  // On Kubernetes: forwarding its port may fail.
  if (environment.DB_TYPE === 'postgresdb')
    throw new EnvironmentFault('PostgreSQL, which holds the ledger, cannot be reached.');
  const { n8n } = await ensureN8n(version, progress);
  return fileLedger(environment, n8n);
}

/** Undefined for SQLite. Throws UsageError for a PostgreSQL with TLS, which may need certificate files. */
function ledgerAddress(environment: Record<string, string>): PostgresAddress | undefined {
  const address = readPostgresAddress(environment);
  if (address || environment.DB_TYPE !== 'postgresdb') return address;
  throw new UsageError('PostgreSQL with TLS is not supported here; deploy one without it (database.type=postgresql).');
}

function makeFaultsRecord(
  request: FaultsRequest,
  { versions, record }: Prepared,
  { version }: Generator,
): FaultsRecord {
  const capacity = estimateCapacity(request, record);
  const rate = sentRate(capacity);
  const cpuModel = cpus()[0]?.model.trim();
  const { n8n, chart } = versions;
  const { askedVersion, askedWhy } = record;
  return {
    tool: request.tool,
    startedAt: new Date().toISOString(),
    provisioner: request.provisioner,
    plan: redactedPlan({ ...request.plan, rates: { kind: 'rates', rates: [rate] } }),
    faults: faultsFor(request, record),
    capacity,
    rate,
    workSeconds: request.workSeconds,
    settleSeconds: request.settleSeconds,
    versions: { n8n, ...(chart && { chart }), k6: version },
    deployment: { ...(askedVersion && { askedVersion }), ...(askedWhy && { askedWhy }) },
    machine: { cpus: availableParallelism(), ...(cpuModel && { cpuModel }) },
  };
}

/** Tries one fault in a fresh deployment. A fault that cannot be injected here is recorded as skipped. */
async function tryFault(context: Context, fault: FaultName, index: number): Promise<FaultTrial> {
  const { progress } = context;
  const begun = Date.now();
  const base = { index, fault, planned: 0, requests: [], events: [] };
  const needed = CATALOGUE[fault].smallDisk ? SmallDisk.unavailable() : undefined;
  const rest: Partial<FaultTrial> =
    needed === undefined
      ? await injectInFreshDeployment(context, fault, index).catch((error: unknown) => {
          progress.signal.throwIfAborted();
          if (error instanceof NotReady) return { skipped: `not tried: ${error.instance} ${error.reason}` };
          if (error instanceof CannotRecord) throw error;
          if (error instanceof EnvironmentFault)
            return { skipped: `not tried: ${messageOf(error)}`, environment: true };
          throw error;
        })
      : { skipped: `not tried: ${needed}` };
  return { ...base, ...rest, tookSeconds: Math.round((Date.now() - begun) / 1000) };
}

async function injectInFreshDeployment(
  { request, record, folder, generator, progress }: Context,
  fault: FaultName,
  index: number,
): Promise<Partial<FaultTrial>> {
  const { plan, workSeconds, settleSeconds } = request;
  const run = resolve(folder.runOf(index));
  await folder.clear(index);
  await makeFolder(run);
  const disk = CATALOGUE[fault].smallDisk && new SmallDisk();
  let deployment: Deployment | undefined;
  try {
    const prepared = await provisionerFor(request, disk).prepare(plan, { ...progress, line: () => {} });
    deployment = await prepared.deploy(join(run, 'logs'));
    const injector = deployment.injector!;
    const { slots, instances } = prepared.record;
    const sender = deployment.access.generator ?? generator;
    const { rescue } = deployment;
    const place = { deployment, generator: sender, folder: run, rescue: rescue !== undefined, progress };
    const driving = { fault, plan, workSeconds, settleSeconds, ...place };
    if (rescue) await progress.during('starting the rescue', () => startRescue(rescue, WORKFLOW_ID));
    return await drive({
      ...driving,
      timetable: timetable(fault, { ...request, capacity: record.capacity, slots, instances: instances.length }),
      ledger: await openLedger(injector, prepared.versions.n8n, progress),
      harm: { injector, ...(disk && { disk }) },
    });
  } finally {
    try {
      await deployment?.teardown();
    } finally {
      disk?.end();
    }
  }
}
