import { UsageError } from '../../core/errors.js';
import { formatNumber } from '../../core/formats.js';
import type { LoadPlan } from '../../model/plan.js';
import { notSteady } from '../../plan/kinds.js';
import { readRun, type RecordedRun } from '../../record/recorder.js';
import { requireGiven } from '../../recommend/from-run.js';
import { readGivenValues, valuesDocument } from '../../recommend/values.js';
import { clusterArrangement } from '../../recommend/forecast/arrangement.js';
import { LEAST_RATES } from '../../recommend/forecast/cost.js';
import { forecastRate, type Forecast } from '../../recommend/forecast/forecast.js';
import { usableSteps } from '../../recommend/forecast/observed.js';
import { forecastSettings } from './values.js';

/** The forecast that is asked for. */
export interface ForecastRequest {
  /** Executions per second, headroom included. */
  rate: number;
  /** The load of the record; needed where it has several. */
  workload?: string;
}

/**
 * The forecast of a recorded run.
 * @throws UsageError if the record supports none
 */
export async function forecastFromRun(
  folder: string,
  { rate, workload }: ForecastRequest,
): Promise<{ found: Forecast; run: RecordedRun }> {
  const run = await readRun(folder);
  refuseUnsupportedRun(run);
  const load = selectLoad(run, workload);
  const found = forecastRate(run, load, rate);
  if (found) return { found, run };
  const rates = usableSteps(
    run.steps.filter((s) => s.load === load.name),
    run.run.plan.slo,
  ).flatMap((s) => s.rate ?? []);
  const seen = [...new Set(rates)].map((r) => `${formatNumber(r)}/s`).join(', ');
  throw new UsageError(
    `${folder}: ${load.name} has ${seen === '' ? 'no step' : `only ${seen}`} below its limit; a forecast needs steps at ${LEAST_RATES} rates or more: run validate with --rates, from a tenth to a half of the deployment's capacity.`,
  );
}

function refuseUnsupportedRun({ folder, run: { plan, deployment } }: RecordedRun): void {
  const other = notSteady(plan.rates);
  if (other !== undefined)
    throw new UsageError(`${folder}: is a record of ${other}; a forecast needs steps at steady rates: run validate.`);
  if (deployment.provisioner === 'existing')
    throw new UsageError(
      `${folder}: is a run against an existing n8n, whose CPU and limits are unknown; a forecast needs a run that deployed the chart.`,
    );
  if (deployment.adopted)
    throw new UsageError(`${folder}: is a run of another chart; a forecast gives values of this one.`);
  if (deployment.process === 'own')
    throw new UsageError(
      `${folder}: ran with executions.process=own, which forks a process for every execution; a forecast needs main.`,
    );
  if (deployment.autoscalers !== undefined && deployment.autoscalers.length > 0)
    throw new UsageError(
      `${folder}: ran with an autoscaler, so that the number of pods changed; a forecast needs a fixed number: set autoscaling.type to none.`,
    );
}

function selectLoad({ folder, run: { plan } }: RecordedRun, workload: string | undefined): LoadPlan {
  const names = plan.loads.map((l) => l.name).join(', ');
  const found = workload === undefined ? plan.loads : plan.loads.filter((l) => l.name === workload);
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    found.length === 0
      ? `--workload: "${workload}" is not in ${folder}; it has ${names}.`
      : `${folder}: has several loads, ${names}; give one with --workload.`,
  );
}

/**
 * The values of a forecast, built on those that the run was given; undefined if no arrangement was found.
 * @throws UsageError if the values that the run was given are missing
 */
export async function forecastValues(
  { arranged, rate }: Forecast,
  run: RecordedRun,
  conclusion: string,
): Promise<string | undefined> {
  if ('impossible' in arranged) return undefined;
  const source = `computed: forecast of ${formatNumber(rate)}/s from ${run.folder}`;
  const heading = [
    ` NOT MEASURED: a forecast by n8n-capacity from ${run.run.startedAt}: ${conclusion}.`,
    ' Before go-live, run validate with these values at the target.',
  ].join('\n');
  await requireGiven(run);
  const given = (await readGivenValues(run.folder)) ?? {};
  const settings = forecastSettings(arranged.arrangement, clusterArrangement(run.run), source, given);
  return valuesDocument(given, settings, heading);
}
