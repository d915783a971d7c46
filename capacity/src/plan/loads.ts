import { z } from 'zod';
import { checkEach, throwIfProblems } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { readYamlFile } from '../core/yaml.js';
import type { LoadPlan, MixPart, Plan } from '../model/plan.js';
import { CALL_OPTIONS, customLoad, servedLoad, WORKFLOW_OPTIONS } from './custom-workflow/load.js';
import { flag, type Naming, type ValidateOptions } from './options.js';
import { queryEnvironment, type QueryParameter } from './query.js';
import { catalogue, findWorkload, timeInSeconds, type Workload } from './workloads.js';

/** Workloads of a validation that names none. */
const DEFAULT_WORKLOADS = ['webhook-ack', 'webhook-expression'];

/** The options that say which load is sent. */
export interface LoadOptions extends Omit<ValidateOptions, 'query' | 'warmup' | 'drain' | 'timeout'> {
  query?: QueryParameter[];
}

/** The loads of a plan, which run one after another, and the environment of their k6 scripts. Throws UsageError. */
export function planLoads(options: LoadOptions, named: Naming = flag): Pick<Plan, 'loads' | 'scriptEnv'> {
  refuseMixedSources(options, named);
  const { workflow, webhook, query = [] } = options;
  if (workflow !== undefined) {
    const { load, scriptEnv } = customLoad({ ...options, workflow });
    return { loads: [load], scriptEnv };
  }
  if (webhook !== undefined) {
    const { load, scriptEnv } = servedLoad({ ...options, webhook });
    return { loads: [load], scriptEnv };
  }
  const known = catalogue();
  const groups = groupWorkloads(options, known, named);
  const used = checkEach([...new Set(groups.flat().map((part) => part.workload))], (name) => findWorkload(name, known));
  const scriptEnv = queryEnvironment(query, used, named('query'));
  return { loads: groups.map((parts) => loadPlan(parts, known, scriptEnv)), scriptEnv };
}

/** Custom workflows and workloads of the catalogue exclude each other, and so do their options. */
function refuseMixedSources(options: LoadOptions, named: Naming): void {
  const isGiven = (key: keyof LoadOptions) => {
    const value = options[key];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  };
  const catalogued = (['workload', 'mix', 'query'] as const).find(isGiven);
  const custom = (['workflow', 'webhook'] as const).find(isGiven);
  if (custom && catalogued)
    throw new UsageError(
      `${named(custom)} and ${named(catalogued)} exclude each other: a custom workflow is the only load of its run.`,
    );
  const ofFile = WORKFLOW_OPTIONS.find(isGiven);
  if (custom !== 'workflow' && ofFile) throw new UsageError(`${named(ofFile)} needs ${named('workflow')}.`);
  const ofCall = CALL_OPTIONS.find(isGiven);
  if (!custom && ofCall) throw new UsageError(`${named(ofCall)} needs ${named('workflow')} or ${named('webhook')}.`);
}

/** Workloads that run together: each alone, or all of a mix at once. */
function groupWorkloads(options: LoadOptions, known: Map<string, Workload>, named: Naming): MixPart[][] {
  const { workload = [], mix, clients } = options;
  const [twice] = workload.filter((name, i) => workload.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`${named('workload')} ${twice}: given twice; give each workload once.`);
  if (mix === undefined)
    return (workload.length > 0 ? workload : DEFAULT_WORKLOADS).map((name) => [{ workload: name, weight: 1 }]);
  const excluded = workload.length > 0 ? 'workload' : clients !== undefined ? 'clients' : undefined;
  if (excluded)
    throw new UsageError(
      `${named('mix')} and ${named(excluded)} exclude each other: a mix divides an arrival rate among its workloads.`,
    );
  return [readMix(mix, known, named('mix'))];
}

/** A mix file: workloads and their weights. */
const MixFile = z.record(z.string(), z.number().min(0.001).max(1000));

/**
 * Reads a mix file.
 * @param option for messages
 * @throws UsageError that names the file and what is wrong in it
 */
export function readMix(file: string, known: Map<string, Workload>, option = '--mix'): MixPart[] {
  const content = readYamlFile(file, `${option} ${file}`, 'give the path of a mix file');
  const { data = {}, error } = MixFile.safeParse(content);
  const places = error?.issues.map(({ path }) => path.join('.')) ?? [];
  throwIfProblems(
    places
      .filter((place) => place !== '')
      .map(
        (place) =>
          `${option} ${file}: "${place}" needs a weight from 0.001 to 1000; write lines such as "webhook-ack: 3".`,
      ),
  );
  if (Object.keys(data).length === 0)
    throw new UsageError(
      `${option} ${file}: is not a map of workloads to weights; write lines such as "webhook-ack: 3".`,
    );
  return checkEach(Object.entries(data), ([workload, weight]) => ({
    workload: findWorkload(workload, known).name,
    weight,
  }));
}

function loadPlan(parts: MixPart[], known: Map<string, Workload>, env: Record<string, string>): LoadPlan {
  const times = (of: (w: Workload) => Workload['serviceTimeSeconds']) =>
    Object.fromEntries(
      parts.map(({ workload }) => [workload, timeInSeconds(of(known.get(workload)!), known.get(workload)!, env)]),
    );
  return {
    name: parts.length === 1 ? parts[0]!.workload : 'mix',
    parts,
    serviceSeconds: times((w) => w.serviceTimeSeconds),
    executionSeconds: times((w) => w.executionSeconds),
  };
}
