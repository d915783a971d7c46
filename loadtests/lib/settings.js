/**
 * Reads the environment variables of a run. Their names, defaults and ranges are defined only here.
 * Imports nothing from k6, so that tests and other tools can load it.
 */

/** An environment variable has a value that is not allowed. `message` is one line with variable, value and allowed values. */
export class BadSetting extends Error {
  constructor(variable, value, allowed) {
    super(`${variable}: ${JSON.stringify(value)} is not allowed; give ${allowed}`);
    this.name = 'BadSetting';
    this.variable = variable;
    this.value = value;
  }
}

const DECIMAL = /^\d+(\.\d{1,6})?$/;
const DURATION = /^(\d+(\.\d+)?(ms|s|m|h))+$/;
const URL = /^https?:\/\/[^\s/?#,]+(\/[^\s?#,]*)?$/;
const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 };

/**
 * Reads the settings of a run.
 * @param env       the environment, k6's `__ENV`
 * @param workloads entries of the catalogue, whose query variables are read too; several for a mix
 * @returns `urls`, `token`, `model`, `arrivals`, `arrivalsFile`, `seed`, `rates` (texts, as given), `clients`, `abortErrors`,
 *   `abortSlow` (pairs of `seconds` and `answers`), `builtIn`, `queries` (for each workload, a value for each parameter); in
 *   seconds `duration`, `durations` (one for each rate, or undefined), `warmup`, `gap`, `timeout`, `pause`; `maxVUs`, undefined
 *   if not given
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

  /** A duration in seconds. k6 refuses a scenario shorter than 1s; `zero` also allows 0s, for no scenario at all. */
  function duration(variable, fallback, { minimum, zero = false }) {
    const value = text(variable, fallback);
    const seconds = parseSeconds(value);
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

  const arrivals = text('ARRIVALS', 'poisson');
  if (!['poisson', 'even', 'recorded'].includes(arrivals)) {
    throw new BadSetting('ARRIVALS', arrivals, 'poisson, even or recorded');
  }
  const arrivalsFile = text('ARRIVALS_FILE', '');
  if (arrivals === 'recorded' && !arrivalsFile.startsWith('/')) {
    throw new BadSetting(
      'ARRIVALS_FILE',
      arrivalsFile,
      'the absolute path of a JSON array of times in seconds, ascending',
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

  const durations = text('DURATIONS', '') ? list('DURATIONS', '').map(parseSeconds) : undefined;
  if (durations && (durations.length !== rates.length || !durations.every((seconds) => seconds >= 1))) {
    throw new BadSetting(
      'DURATIONS',
      env.DURATIONS,
      `a duration of 1s or more for each of the ${rates.length} RATES, separated by commas, such as 30s,10s,1m`,
    );
  }

  const token = text('TOKEN', '');
  if (!/^[\x21-\x7e]*$/.test(token)) {
    // The value is a secret, so the message does not show it.
    throw new BadSetting('TOKEN', '***', 'printable ASCII without spaces');
  }

  const settings = {
    urls: urls.map((url) => url.replace(/\/+$/, '')),
    token,
    model,
    rates,
    arrivals,
    arrivalsFile,
    seed: number('SEED', 1, { minimum: 0, maximum: 2 ** 31, integer: true }),
    clients: number('CLIENTS', 8, { minimum: 1, maximum: 100000, integer: true }),
    duration: duration('DURATION', '30s', { minimum: 1 }),
    durations,
    warmup: duration('WARMUP', '5s', { minimum: 1, zero: true }),
    gap: duration('GAP', '5s', { minimum: 0 }),
    timeout: duration('TIMEOUT', '60s', { minimum: 0.1 }),
    pause: number('PAUSE', 1, { minimum: 0, maximum: 3600 }),
    abortSlow: parseSlowLimits(text('ABORT_SLOW', '')),
    abortErrors: number('ABORT_ERRORS', 0, { minimum: 0, maximum: 1 }),
    builtIn: text('BUILT_IN') ? list('BUILT_IN', '') : [],
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

/** Reads ABORT_SLOW: `1:75,5:15` is 75 answers that took 1 s longer than by design, or 15 that took 5 s longer. */
function parseSlowLimits(value) {
  if (!value) return [];
  const pairs = value.split(',').map((item) => SLOW_LIMIT.exec(item.trim()));
  if (!pairs.every(Boolean)) {
    throw new BadSetting(
      'ABORT_SLOW',
      value,
      'seconds and a number of answers, separated by commas, such as 1:75,5:15',
    );
  }
  return pairs.map(([, seconds, answers]) => ({ seconds: Number(seconds), answers: Number(answers) }));
}
const SLOW_LIMIT = /^(\d+(?:\.\d{1,6})?):([1-9]\d{0,8})$/;

/** The service time of a workload in seconds: the time that its answer takes by design, for these values of its query. */
export function serviceSeconds({ serviceTimeSeconds: by }, query) {
  return typeof by === 'number' ? by : query[by.query] * (by.scale ?? 1);
}

/**
 * Reads MIX: the weight of each workload, at least one, each above 0.
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
    throw new BadSetting('MODEL', env.MODEL, 'open for a mix, because its weights are shares of an arrival rate');
  }
  return pairs;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
const CONTENT_TYPES = { json: 'application/json', txt: 'text/plain', csv: 'text/csv', xml: 'application/xml' };

/**
 * Reads how to call a webhook of any workflow.
 * @param open k6's own function, for the files that BODY_FILE and HEADERS_FILE name
 * @returns an entry like those of the catalogue, with `body`, `headers`, and the `expected` statuses
 * @throws BadSetting
 */
export function readWebhook(env, open) {
  const text = (variable) => (env[variable] ?? '').trim();
  const path = text('WEBHOOK_PATH');
  if (!/^\/[^\s#]*$/.test(path)) {
    throw new BadSetting('WEBHOOK_PATH', path, 'the path of a webhook, such as /webhook/order?source=test');
  }
  const method = text('METHOD') || 'GET';
  if (!METHODS.includes(method)) throw new BadSetting('METHOD', method, `one of ${METHODS.join(', ')}`);
  const status = text('EXPECT_STATUS');
  if (status && !/^[2-5]\d\d$/.test(status)) {
    throw new BadSetting(
      'EXPECT_STATUS',
      status,
      'an HTTP status from 200 to 599, or leave it out for any from 200 to 299',
    );
  }
  const service = text('SERVICE_SECONDS') || '0';
  if (!DECIMAL.test(service) || Number(service) > 600) {
    throw new BadSetting('SERVICE_SECONDS', service, 'a number from 0 to 600');
  }
  const headers = readHeaders(env, text, open);
  const { body, type } = readBody(env, text, open);
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    path,
    method,
    body,
    headers: typed || !type ? headers : { ...headers, 'content-type': type },
    expected: { statuses: status ? { min: Number(status), max: Number(status) } : { min: 200, max: 299 } },
    serviceTimeSeconds: Number(service),
    query: {},
  };
}

/** The body, and its content type: derived from the name of its file or from its content. */
function readBody(env, text, open) {
  const file = readPath('BODY', text);
  if (file)
    return { body: open(file, 'b'), type: CONTENT_TYPES[/\.(\w+)$/.exec(file)?.[1]] ?? 'application/octet-stream' };
  if (!text('BODY')) return { body: null };
  return { body: env.BODY, type: isJson(env.BODY) ? 'application/json' : 'text/plain' };
}

/** Header names and values. They may be secret, so messages do not show them. */
function readHeaders(env, text, open) {
  const file = readPath('HEADERS', text);
  const json = file ? open(file) : text('HEADERS') || '{}';
  const headers = isJson(json) ? JSON.parse(json) : undefined;
  const usable = ([name, value]) => /^[\w-]+$/.test(name) && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
  if (!headers || typeof headers !== 'object' || Array.isArray(headers) || !Object.entries(headers).every(usable)) {
    throw new BadSetting(file ? 'HEADERS_FILE' : 'HEADERS', file ?? '***', 'a JSON object of header names and values');
  }
  return headers;
}

/** The path in `<variable>_FILE`. It must be absolute: k6 resolves relative paths from the folder of this module. */
function readPath(variable, text) {
  const file = text(`${variable}_FILE`);
  if (!file) return undefined;
  if (!file.startsWith('/')) throw new BadSetting(`${variable}_FILE`, file, 'an absolute path');
  if (text(variable)) throw new BadSetting(`${variable}_FILE`, file, `either it or ${variable}, not both`);
  return file;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A duration in seconds, or NaN if the text is not a duration. */
function parseSeconds(duration) {
  if (!DURATION.test(duration)) return NaN;
  return [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * SECONDS[unit], 0);
}
