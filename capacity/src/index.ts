/**
 * The public API of the capacity engine, for code that measures in its own way, as the experiments do. Everything else is
 * internal and may change without notice. Functions and types are documented where they are defined.
 */

/** Errors that the command line prints as one line. `EnvironmentFault`: the disk, the cluster or an install failed, not n8n. */
export { ChartRefused, EnvironmentFault, NotReady, UsageError } from './core/errors.js';

/** A command-line program: signals, exit codes, progress on stderr, a place for records (a folder or S3), results as JSON. */
export { abortOnSignals } from './commands/interruption.js';
export { runProgram } from './commands/run-program.js';
export { EXIT_CODES } from './core/exit-codes.js';
export { didYouMean } from './core/did-you-mean.js';
export { terminalProgress, type Progress } from './core/progress.js';
export {
  collect,
  keepRecord,
  chooseOutput,
  printResult,
  withS3,
  type OutputOptions,
} from './commands/options/output.js';
export { FILES } from './record/names.js';
export { mirrorOfRecord } from './record/s3/place.js';

/** The nouns of the model, and schemas for records that hold some of them. */
export type { Deployment, Observer, Prepared, Provisioner } from './model/deployment.js';
export { componentSchema, deathReasonSchema, eventSchema } from './model/events.js';
export type { Generator } from './model/generator.js';
export type { Plan, RatesOf } from './model/plan.js';
export type { DeploymentRecord } from './model/run.js';
export type { StepRecord } from './model/step.js';
export type { DimensionValue } from './model/dimensions.js';

/** A plan: from the options of `validate`, for the configurations that dimensions give. */
export { readYamlFile } from './core/yaml.js';
export { mergedMaps } from './plan/values.js';
export { duration } from './plan/quantities.js';
export { listConfigurations, describeConfiguration } from './features/sweep/plan/configurations.js';
export { translateDimensions, nestValues, type Settings } from './plan/dimensions.js';
export { planFromOptions } from './plan/validate.js';
export { DEFAULT_PRICES } from './features/sweep/plan/sweep.js';
export { catalogue } from './plan/workloads.js';

/** Provisioners. `processProvisioner` takes hooks that alter the deployment. */
export { kubernetes } from './provision/kubernetes/kubernetes-provisioner.js';
export { processes, processProvisioner, type DeploymentHooks } from './provision/process/process-provisioner.js';

/** For a provisioner of one's own: supervised processes with their folders and ports, observed through /proc. */
export { isAlive } from './core/processes.js';
export { waitUntil } from './core/wait-until.js';
export { parseCores } from './observe/host.js';
export { processTreeIds, readProportionalBytes, readProcesses } from './observe/proc.js';
export { ProcessObserver } from './observe/process-observer.js';
export { scratchFolder, sweepFolders } from './provision/leftovers.js';
export { Lifecycle } from './provision/lifecycle.js';
export { listening } from './provision/listening.js';
export { allocatePorts } from './provision/process/host.js';
export { Supervised, type Launch } from './provision/process/supervise.js';

/** Tools, installed when they are missing. */
export { ensureK6 } from './tools/programs.js';
export { ensureIptables, ensureNginx } from './tools/system.js';

/** The rendered chart, and the PM2 file that `n8n-capacity pm2` prints of it. */
export type { KubernetesObject } from './chart/objects.js';
export type { Pod } from './chart/pods.js';
export { buildApps, PORT_OFFSETS as PM2_PORTS } from './features/pm2/apps.js';
export { ecosystemFile } from './features/pm2/file.js';

/** Measuring a prepared plan with k6, into a record. */
export { createLocalK6 } from './load/k6.js';
export { measure } from './run/measure.js';

/** Records: written whole, read with a schema. */
export { makeFolder, parsed, writeWhole } from './record/files.js';
export { readRun, Recorder, type RecordedRun } from './record/recorder.js';

/** Conclusions from a record. */
export { computeCost } from './judge/cost.js';
export { fairness } from './judge/fairness.js';
export { judgeOverload } from './judge/overload.js';
export { concludePayloads, judgeTries, payloadRange } from './judge/profiles/payload-limit.js';
export { GENERATOR_CPU_SHARE, GENERATOR_LIMIT_SHARE } from './judge/inconclusive.js';
export { throughput } from './judge/sustained.js';
export { samplesToClaim } from './stats/intervals.js';
export {
  COEFFICIENT_COUNT,
  fitScalability,
  type Estimate,
  type ScalabilityFit,
  type ScalePoint,
} from './stats/scalability.js';
