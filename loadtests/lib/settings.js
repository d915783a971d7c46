/**
 * Reads the environment variables of a run. The one place of their names, defaults and ranges.
 * Imports nothing from k6, so that tests and other tools can load it.
 */

/** A variable whose value cannot be used. `message` is one line: the variable, its value, what is allowed. */
export class BadSetting extends Error {
  constructor(variable, value, allowed) {
    super(`${variable} is ${JSON.stringify(value)}: allowed is ${allowed}`);
    this.name = 'BadSetting';
  }
}

const DECIMAL = /^\d+(\.\d{1,6})?$/;
const DURATION = /^(\d+(\.\d+)?(ms|s|m|h))+$/;
const URL = /^https?:\/\/[^\s/?#,]+(\/[^\s?#,]*)?$/;
const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 };

/**
 * @param env      the environment, k6's `__ENV`
 * @param workload the catalogue's entry, whose query variables are read too; several for a mix
 * @returns `urls`, `token`, `model`, `rates` (texts, as given), `clients`, `pause`, `queries` (of each workload, a value for
 *   each parameter), and in seconds: `duration`, `warmup`, `gap`, `timeout`; `maxVUs` is undefined when not given
 * @throws BadSetting
 */
export function readSettings(env, ...workloads) {
  const text = (variable, fallback) => (env[variable] ?? '').trim() || fallback;
  const list = (variable, fallback) =>
    text(variable, fallback)
      .split(',')
      .map((item) => item.trim());

  function number(variable, fallback, { minimum, maximum, integer = false }) {
    const value = text(variable, String(fallback));
    const n = Number(value);
    if (!DECIMAL.test(value) || n < minimum || n > maximum || (integer && !Number.isInteger(n))) {
      throw new BadSetting(variable, value, `${integer ? 'a whole number' : 'a number'} from ${minimum} to ${maximum}`);
    }
    return n;
  }

  /** k6 refuses a scenario shorter than 1s; `zero` allows to leave it out. */
  function duration(variable, fallback, { minimum, zero = false }) {
    const value = text(variable, fallback);
    const seconds = DURATION.test(value) ? toSeconds(value) : NaN;
    if (!(seconds >= minimum || (zero && seconds === 0))) {
      const least = `${zero ? '0s or ' : ''}a duration of ${minimum}s or more`;
      throw new BadSetting(variable, value, `${least}, such as 30s or 1m30s`);
    }
    return seconds;
  }

  const model = text('MODEL', 'open');
  if (model !== 'open' && model !== 'closed') throw new BadSetting('MODEL', model, 'open or closed');

  const urls = list('BASE_URL', 'http://localhost:5678');
  if (!urls.every((url) => URL.test(url))) {
    throw new BadSetting(
      'BASE_URL',
      env.BASE_URL,
      'one URL or several separated by commas, such as http://localhost:5678',
    );
  }

  const rates = list('RATES', '1,2,5');
  if (!rates.every((rate) => DECIMAL.test(rate) && Number(rate) > 0 && Number(rate) <= 100000)) {
    throw new BadSetting(
      'RATES',
      env.RATES,
      'arrival rates per second above 0 and up to 100000, separated by commas, such as 0.5,1,20',
    );
  }

  const token = text('TOKEN', '');
  if (!/^[\x21-\x7e]*$/.test(token)) {
    // The value is a secret and stays out of the message.
    throw new BadSetting('TOKEN', '***', 'printable ASCII without spaces');
  }

  const settings = {
    urls: urls.map((url) => url.replace(/\/+$/, '')),
    token,
    model,
    rates,
    clients: number('CLIENTS', 8, { minimum: 1, maximum: 100000, integer: true }),
    duration: duration('DURATION', '30s', { minimum: 1 }),
    warmup: duration('WARMUP', '5s', { minimum: 1, zero: true }),
    gap: duration('GAP', '5s', { minimum: 0 }),
    timeout: duration('TIMEOUT', '60s', { minimum: 0.1 }),
    pause: number('PAUSE', 1, { minimum: 0, maximum: 3600 }),
    maxVUs: text('MAX_VUS') && number('MAX_VUS', 0, { minimum: 1, maximum: 100000, integer: true }),
    queries: workloads.map(({ query }) =>
      Object.fromEntries(
        Object.entries(query).map(([parameter, range]) => [parameter, number(range.env, range.default, range)]),
      ),
    ),
  };

  workloads.forEach((workload, i) => {
    const service = serviceSeconds(workload, settings.queries[i]);
    if (settings.timeout <= service) {
      throw new BadSetting(
        'TIMEOUT',
        text('TIMEOUT', '60s'),
        `more than the ${service} s that the answer takes by design`,
      );
    }
  });
  return settings;
}

/** Seconds that the answer of a workload takes by design, for the values of its query. */
export function serviceSeconds({ serviceTimeSeconds: by }, query) {
  return typeof by === 'number' ? by : query[by.query] * (by.scale ?? 1);
}

/**
 * Reads MIX: weights of workloads, at least one, each above 0.
 * @returns pairs of name and weight
 * @throws BadSetting
 */
export function readMix(env, catalogue) {
  const allowed =
    `a JSON object of weights from 0.001 to 1000, such as {"webhook-ack": 3, "webhook-wait": 1}, ` +
    `of the workloads ${Object.keys(catalogue).join(', ')}`;
  let mix;
  try {
    mix = JSON.parse(env.MIX ?? '');
  } catch {
    throw new BadSetting('MIX', env.MIX ?? '', allowed);
  }
  const pairs = mix && typeof mix === 'object' && !Array.isArray(mix) ? Object.entries(mix) : [];
  const usable = ([name, weight]) => Object.hasOwn(catalogue, name) && weight >= 0.001 && weight <= 1000;
  if (!pairs.length || !pairs.every((pair) => typeof pair[1] === 'number' && usable(pair))) {
    throw new BadSetting('MIX', env.MIX, allowed);
  }
  if ((env.MODEL ?? '') === 'closed') {
    throw new BadSetting('MODEL', env.MODEL, 'open, for a mix: its weights are shares of an arrival rate');
  }
  return pairs;
}

function toSeconds(duration) {
  return [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * SECONDS[unit], 0);
}
