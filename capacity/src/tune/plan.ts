import { didYouMean } from '../core/did-you-mean.js';
import { eachOf, refuse } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { acknowledges } from '../judge/bounds.js';
import type { Plan } from '../model/plan.js';
import { TRADES, type Setting, type Trade } from '../model/tune.js';
import type { ValidateOptions } from '../plan/options.js';
import { duration } from '../plan/quantities.js';
import { planFromOptions } from '../plan/validate.js';
import { leastBudget, rowsWithin, trialSeconds } from './budget.js';
import { readSettings } from './catalogue.js';

/** The flags of `n8n-capacity tune`, as commander hands them over. */
export interface TuneOptions extends ValidateOptions {
  budget: string;
  accept?: string;
  setting?: string[];
}

/** What is driven where nothing is named. */
export const DEFAULT_WORKLOAD = 'webhook-ack';

/** Times of a trial, as a user would write them. A process that has just started is slower for some seconds. */
export const TRIAL_DEFAULTS = { warmup: '8s', step: '20s', budget: '45m' } as const;

/** Clients that wait for their answers keep n8n busy, and as many more as its answers take seconds by design. */
const CLIENTS = 20;
const CLIENTS_PER_SECOND = 20;

/** What each trial of a run of `tune` drives, one load after the other. Throws UsageError. */
export function tunePlan(options: Omit<TuneOptions, 'budget'>): Plan {
  const { workload = [], mix, workflow, webhook } = options;
  const hasSource = workload.length > 0 || [mix, workflow, webhook].some((source) => source !== undefined);
  const asked = { stepDuration: TRIAL_DEFAULTS.step, ...options, ...(!hasSource && { workload: [DEFAULT_WORKLOAD] }) };
  const plan = planFromOptions({ ...asked, clients: options.clients ?? '1' });
  const load = plan.loads.find(acknowledges);
  if (load)
    throw new UsageError(
      `${load.name}: answers before its work is done, so that clients which wait for answers would flood n8n; choose a workload that answers after its work, such as the same workflow with "Respond: When Last Node Finishes".`,
    );
  if (options.clients !== undefined) return plan;
  return { ...plan, rates: { kind: 'closed', clients: CLIENTS, clientsPerSecond: CLIENTS_PER_SECOND } };
}

/** About how long it may take, in seconds. Throws UsageError if that is too short for an answer. */
export function budgetOf({ budget }: Pick<TuneOptions, 'budget'>, plan: Plan): number {
  const seconds = duration(budget, '--budget', { least: 60, most: 24 * 3600 });
  const perTrial = trialSeconds(plan);
  if (rowsWithin(seconds, perTrial) > 0) return seconds;
  throw new UsageError(
    `--budget: "${budget}" is too short for an answer: a trial takes about ${perTrial} s; write ${Math.ceil(leastBudget(perTrial) / 60)}m or more.`,
  );
}

/** The settings that were asked for; all of the catalogue where none was. Throws UsageError. */
export function settingsAsked({ setting: asked }: Pick<TuneOptions, 'setting'>): Setting[] {
  const all = readSettings();
  const known = all.map(({ id }) => id);
  refuse(
    (asked ?? [])
      .filter((id) => !known.includes(id))
      .map(
        (id) =>
          `--setting ${id}: does not exist${didYouMean(id, known)} "n8n-capacity tune --list" shows all settings.`,
      ),
  );
  return all.filter(({ id }) => asked?.includes(id) ?? true);
}

/** What the user accepts to lose. Throws UsageError. */
export function acceptedOf({ accept }: Pick<TuneOptions, 'accept'>): Trade[] {
  const allowed = TRADES.filter((trade) => trade !== 'nothing' && trade !== 'memory');
  return eachOf(accept?.split(',') ?? [], (text) => {
    const trade = allowed.find((known) => known === text.trim());
    if (!trade)
      throw new UsageError(`--accept: "${text.trim()}" is not allowed; write one or more of ${allowed.join(', ')}.`);
    return trade;
  });
}
