/**
 * Converts records of version 0.1.0: some names have changed since. Other fields stay as they are, and the schemas check the
 * result.
 */

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object with a key renamed; unchanged without that key. */
function renamed(value: unknown, from: string, to: string): unknown {
  if (!isObject(value) || !(from in value)) return value;
  const { [from]: moved, ...others } = value;
  return { ...others, [to]: moved };
}

/** The object with the value of a key changed; unchanged without that key. */
function changed(value: unknown, key: string, change: (inner: unknown) => unknown): unknown {
  return isObject(value) && key in value ? { ...value, [key]: change(value[key]) } : value;
}

const each =
  (change: (item: unknown) => unknown) =>
  (list: unknown): unknown =>
    Array.isArray(list) ? list.map(change) : list;

function upgradeRates(rates: unknown): unknown {
  if (!isObject(rates) || rates.kind !== 'ceiling') return rates;
  return renamed(renamed({ ...rates, kind: 'payload-limit' }, 'least', 'minMiB'), 'most', 'maxMiB');
}

const upgradePlan = (plan: unknown): unknown =>
  changed(
    changed(plan, 'rates', upgradeRates),
    'loads',
    each((load) => renamed(load, 'own', 'custom')),
  );

const upgradeAutoscaler = (scaler: unknown): unknown =>
  renamed(renamed(scaler, 'least', 'minReplicas'), 'most', 'maxReplicas');

/** Converts `run.json`. */
export const upgradeRun = (run: unknown): unknown =>
  changed(changed(run, 'plan', upgradePlan), 'deployment', (deployment) =>
    changed(deployment, 'autoscalers', each(upgradeAutoscaler)),
  );

/** Converts a line of `steps.ndjson`. */
export const upgradeStep = (step: unknown): unknown => renamed(step, 'mb', 'payloadMiB');

/** Converts `sweep.json`. */
export const upgradeSweep = (sweep: unknown): unknown =>
  changed(sweep, 'plan', (plan) => renamed(changed(plan, 'measure', upgradePlan), 'soakSeconds', 'holdSeconds'));

/** Converts a line of `outcomes.ndjson`. */
export const upgradeOutcome = (outcome: unknown): unknown =>
  changed(
    changed(outcome, 'verdict', (verdict) => (verdict === 'INVALID' ? 'INCONCLUSIVE' : verdict)),
    'purpose',
    (purpose) => (purpose === 'soak' ? 'hold' : purpose),
  );
