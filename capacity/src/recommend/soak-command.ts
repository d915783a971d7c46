import type { LoadPlan, Plan } from '../plan/plan.js';
import { catalogue } from '../plan/workloads.js';

/** Long enough for a verdict on drift. */
const DURATION = '15m';

/**
 * The commands that would prove a values file by a soak, one for each load of the plan.
 * @param rateOf arrivals per second for a load; undefined where none is known
 */
export const soakCommands = (plan: Plan, rateOf: (load: LoadPlan) => number | undefined, file: string): string[] =>
  plan.loads.flatMap((load) => {
    const rate = rateOf(load);
    if (rate === undefined) return [];
    const soak = `n8n-capacity soak -f ${file} --rate ${Number(rate.toPrecision(6))}/s --duration ${DURATION}`;
    return [[soak, ...whatOf(load, plan), `--slo ${objectives(plan)}`].join(' ')];
  });

function whatOf({ name, parts, own }: LoadPlan, { scriptEnv }: Plan): string[] {
  if (own) return [`--workflow ${own.file}`];
  if (parts.length > 1) return ['--mix <its file>', ...queries(parts, scriptEnv)];
  return [`--workload ${name}`, ...queries(parts, scriptEnv)];
}

/** Parameters that are not the catalogue's own. */
function queries(parts: LoadPlan['parts'], env: Record<string, string>): string[] {
  const known = catalogue();
  const all = parts.flatMap(({ workload }) =>
    Object.entries(known.get(workload)?.query ?? {}).flatMap(([name, parameter]) => {
      const value = env[parameter.env];
      return value === undefined || Number(value) === parameter.default ? [] : [`--query ${name}=${value}`];
    }),
  );
  return [...new Set(all)];
}

function objectives({ slo: { errors, ...percentiles } }: Plan): string {
  const latencies = Object.entries(percentiles).map(
    ([key, seconds]) => `${key}=${Number((seconds * 1000).toFixed(3))}ms`,
  );
  return [...latencies, `errors=${Number((errors * 100).toPrecision(6))}%`].join(',');
}
