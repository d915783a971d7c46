import { didYouMean } from '../../core/did-you-mean.js';
import { checkEach, throwIfProblems } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import type { Plan } from '../../model/plan.js';
import { TRADES, type Setting, type Trade } from './record.js';
import type { ValidateOptions } from '../../plan/options.js';
import { duration, durationText } from '../../plan/quantities.js';
import { leastBudget, screeningTrialsWithin, trialSeconds } from './budget.js';
import { readSettings } from './catalogue.js';

/** The flags of `n8n-capacity tune`, as commander hands them over. */
export interface TuneOptions extends ValidateOptions {
  budget: string;
  accept?: string;
  setting?: string[];
}

/** About how long it takes by default. */
export const DEFAULT_BUDGET = '45m';

/** About how long it may take, in seconds. Throws UsageError if that is too short for an answer in any mode. */
export function readBudget({ budget }: Pick<TuneOptions, 'budget'>, plan: Plan): number {
  const seconds = duration(budget, '--budget', { least: 60, most: 24 * 3600 });
  // The shortest trials; the mode is known only once the deployment is rendered.
  requireScreeningTrials(seconds, trialSeconds(plan, 'regular'));
  return seconds;
}

/** Trials of the screening within a budget, where one takes `perTrial`, both in seconds. Throws UsageError if there is no time for an answer. */
export function requireScreeningTrials(budgetSeconds: number, perTrial: number): number {
  const rows = screeningTrialsWithin(budgetSeconds, perTrial);
  if (rows > 0) return rows;
  throw new UsageError(
    `--budget: ${durationText(budgetSeconds)} is too short for an answer: a trial takes about ${perTrial} s; write ${Math.ceil(leastBudget(perTrial) / 60)}m or more.`,
  );
}

/** The settings that were asked for; all of the catalogue where none was. Throws UsageError. */
export function requestedSettings({ setting: asked }: Pick<TuneOptions, 'setting'>): Setting[] {
  const all = readSettings();
  const known = all.map(({ id }) => id);
  throwIfProblems(
    (asked ?? [])
      .filter((id) => !known.includes(id))
      .map(
        (id) =>
          `--setting ${id}: does not exist${didYouMean(id, known)} "n8n-capacity tune --list" shows all settings.`,
      ),
  );
  return all.filter(({ id }) => asked?.includes(id) ?? true);
}

/** The costs that the user accepts. Throws UsageError. */
export function acceptedTrades({ accept }: Pick<TuneOptions, 'accept'>): Trade[] {
  const allowed = TRADES.filter((trade) => trade !== 'nothing' && trade !== 'memory');
  return checkEach(accept?.split(',') ?? [], (text) => {
    const trade = allowed.find((known) => known === text.trim());
    if (!trade)
      throw new UsageError(`--accept: "${text.trim()}" is not allowed; write one or more of ${allowed.join(', ')}.`);
    return trade;
  });
}
