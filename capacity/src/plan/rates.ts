import { InputError } from '../errors.js';
import type { ValidateOptions } from './from-options.js';
import type { RatePlan } from './plan.js';
import { arrivalRate, wholeNumber } from './quantities.js';

/** What a search does when nobody says otherwise; `lowest` and a higher `start` follow from the length of a step. */
const SEARCH: Extract<RatePlan, { kind: 'search' }> = {
  kind: 'search',
  start: 2,
  factor: 2,
  precision: 0.25,
  maxSteps: 10,
  lowest: 0,
};

/** How the rates of the steps are chosen, from the flags. Throws InputError. */
export function ratePlan(options: ValidateOptions): RatePlan {
  const given = (['target', 'perDay', 'rates', 'clients'] as const).filter((key) => options[key] !== undefined);
  if (given.length > 1) throw new InputError(`${given.map(flag).join(' and ')} exclude each other: give one.`);
  for (const [key, needs] of [
    ['peak', 'perDay'],
    ['headroom', given.includes('perDay') ? 'perDay' : 'target'],
  ] as const) {
    if (options[key] !== undefined && options[needs] === undefined)
      throw new InputError(`${flag(key)} needs ${key === 'headroom' ? '--target or --per-day' : flag(needs)}.`);
  }
  const headroom = options.headroom === undefined ? 1.3 : Number(options.headroom);
  if (!(headroom >= 1 && headroom <= 10))
    throw new InputError(`--headroom: "${options.headroom}" is not allowed; write a factor from 1 to 10, as in 1.3.`);
  if (options.target !== undefined) return { kind: 'target', rate: arrivalRate(options.target, '--target'), headroom };
  if (options.perDay !== undefined) return { kind: 'target', rate: perDay(options.perDay, options.peak), headroom };
  if (options.rates !== undefined)
    return { kind: 'rates', rates: options.rates.split(',').map((r) => arrivalRate(r, '--rates')) };
  if (options.clients !== undefined)
    return { kind: 'closed', clients: wholeNumber(options.clients, '--clients', 1, 10_000) };
  return SEARCH;
}

const flag = (key: string) => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/** Executions a day, as the rate of the busiest hour: the mean times the peak factor. */
function perDay(text: string, peak = '1x'): number {
  const executions = wholeNumber(text.replace(/[_']/g, ''), '--per-day', 1, 1_000_000_000);
  const factor = Number(/^(\d+(?:\.\d+)?)x?$/.exec(peak)?.[1]);
  if (!(factor >= 1 && factor <= 1000))
    throw new InputError(
      `--peak: "${peak}" is not allowed; write how many times the mean the busiest hour is, as in 4x.`,
    );
  return (executions / 86_400) * factor;
}
