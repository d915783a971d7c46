import { UsageError } from '../../core/errors.js';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { LoadPlan } from '../../model/plan.js';
import { duration, wholeNumber } from '../quantities.js';
import { readJson } from './read-json.js';
import { METHODS } from './webhook-node.js';

/** The flags that say how a webhook is called, as commander hands them over. */
export interface RequestOptions {
  method?: string;
  body?: string;
  headers?: string;
  expectStatus?: string;
  serviceTime?: string;
  executionTime?: string;
}

/** The k6 script that calls any webhook, which is also the workload's name in its samples. */
const SCRIPT = 'webhook';

/** n8n refuses more by default, and every virtual user of k6 holds a copy. */
const MOST_BODY_BYTES = 16 * 2 ** 20;
const MOST_SECONDS = 600;

/**
 * The load of one webhook, and the environment of its k6 script.
 * @param name for tables and files; what it may not hold there is left out
 * @throws UsageError that names the flag and what is allowed
 */
export function webhookLoad(
  name: string,
  { path, method }: { path: string; method: string },
  options: RequestOptions,
): { load: LoadPlan; scriptEnv: Record<string, string> } {
  const service = options.serviceTime === undefined ? 0 : seconds(options.serviceTime, '--service-time');
  const execution = options.executionTime === undefined ? service : seconds(options.executionTime, '--execution-time');
  const { body, headers, expectStatus } = options;
  if (body !== undefined) requireBody(body);
  if (headers !== undefined) requireHeaders(headers);
  return {
    load: {
      name: slug(name),
      parts: [{ workload: SCRIPT, weight: 1 }],
      serviceSeconds: { [SCRIPT]: service },
      executionSeconds: { [SCRIPT]: execution },
    },
    scriptEnv: {
      WEBHOOK_PATH: path,
      METHOD: method,
      SERVICE_SECONDS: String(service),
      ...(body !== undefined && { BODY_FILE: resolve(body) }),
      ...(headers !== undefined && { HEADERS_FILE: resolve(headers) }),
      ...(expectStatus !== undefined && {
        EXPECT_STATUS: String(wholeNumber(expectStatus, '--expect-status', 200, 599)),
      }),
    },
  };
}

/** The method of `--method`; undefined where it is not given. Throws UsageError. */
export function methodOf({ method: text }: RequestOptions): string | undefined {
  const method = text?.toUpperCase();
  if (method === undefined || METHODS.includes(method)) return method;
  throw new UsageError(`--method: "${text}" is not allowed; write one of ${METHODS.join(', ')}.`);
}

function requireBody(file: string): void {
  if (!existsSync(file) || !statSync(file).isFile())
    throw new UsageError(`--body ${file}: is no file that can be read.`);
  if (statSync(file).size > MOST_BODY_BYTES)
    throw new UsageError(`--body ${file}: is larger than 16 MiB, which n8n does not take.`);
  if (!file.endsWith('.json')) return;
  try {
    JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new UsageError(`--body ${file}: is not valid JSON.`);
  }
}

const Headers = z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/));

/** Values may be secret and are in no message. */
function requireHeaders(file: string): void {
  const where = `--headers ${file}`;
  if (!Headers.safeParse(readJson(file, where)).success)
    throw new UsageError(`${where}: is no JSON object of header names and values, as in {"x-api-key": "…"}.`);
}

function seconds(text: string, name: string): number {
  const value = duration(text, name);
  if (value <= MOST_SECONDS) return value;
  throw new UsageError(`${name}: ${text} is not allowed; write 0s to ${MOST_SECONDS}s.`);
}

/** A name for tables and files. */
const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40) || 'workflow';
