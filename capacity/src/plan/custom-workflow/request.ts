import { runAllChecks } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { LoadPlan } from '../../model/plan.js';
import { duration, wholeNumber } from '../quantities.js';
import { readJson } from '../../workflow/read-json.js';
import { METHODS } from './webhook-node.js';

/** The flags for the requests to a webhook, as commander hands them over. */
export interface RequestOptions {
  method?: string;
  body?: string;
  headers?: string;
  expectStatus?: string;
  serviceTime?: string;
  executionTime?: string;
}

/** The k6 script that calls any webhook; also the name of the workload in its samples. */
const SCRIPT = 'webhook';

/** The default limit of n8n; every virtual user of k6 holds a copy. */
const MOST_BODY_BYTES = 16 * 2 ** 20;
const DESIGN_SECONDS = { least: 0, most: 600 };

/** What the flags say of the requests. */
export interface WebhookRequest {
  /** Undefined if not given. */
  method: string | undefined;
  /** Times by design, in seconds. */
  service: number;
  execution: number;
  /** Environment of the k6 script for the body, the headers and the status. */
  scriptEnv: Record<string, string>;
}

/** The requests to a webhook. Throws UsageError with all problems: the flag and what is allowed. */
export function readRequest(options: RequestOptions): WebhookRequest {
  const { body, headers, expectStatus, serviceTime, executionTime } = options;
  const { method, service, execution, status } = runAllChecks({
    method: () => readMethod(options),
    service: () => (serviceTime === undefined ? 0 : duration(serviceTime, '--service-time', DESIGN_SECONDS)),
    execution: () =>
      executionTime === undefined ? undefined : duration(executionTime, '--execution-time', DESIGN_SECONDS),
    body: () => body !== undefined && requireBody(body),
    headers: () => headers !== undefined && requireHeaders(headers),
    status: () => (expectStatus === undefined ? undefined : wholeNumber(expectStatus, '--expect-status', 200, 599)),
  });
  return {
    method,
    service,
    execution: execution ?? service,
    scriptEnv: {
      ...(body !== undefined && { BODY_FILE: resolve(body) }),
      ...(headers !== undefined && { HEADERS_FILE: resolve(headers) }),
      ...(status !== undefined && { EXPECT_STATUS: String(status) }),
    },
  };
}

/**
 * The load of one webhook, and the environment of its k6 script.
 * @param name for tables and files; other characters than letters and digits become hyphens
 */
export function webhookLoad(
  name: string,
  { path, method }: { path: string; method: string },
  { service, execution, scriptEnv }: WebhookRequest,
): { load: LoadPlan; scriptEnv: Record<string, string> } {
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
      ...scriptEnv,
    },
  };
}

function readMethod({ method: text }: RequestOptions): string | undefined {
  const method = text?.toUpperCase();
  if (method === undefined || METHODS.includes(method)) return method;
  throw new UsageError(`--method: "${text}" is not allowed; write one of ${METHODS.join(', ')}.`);
}

function requireBody(file: string): void {
  if (!existsSync(file) || !statSync(file).isFile())
    throw new UsageError(`--body ${file}: is not a readable file; give the path of a file.`);
  if (statSync(file).size > MOST_BODY_BYTES)
    throw new UsageError(`--body ${file}: is larger than 16 MiB, the limit of n8n; give a smaller body.`);
  if (!file.endsWith('.json')) return;
  try {
    JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new UsageError(`--body ${file}: is not valid JSON; correct it, or give the file another extension.`);
  }
}

const Headers = z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/));

/** Messages contain no values: they may be secret. */
function requireHeaders(file: string): void {
  const where = `--headers ${file}`;
  if (!Headers.safeParse(readJson(file, where)).success)
    throw new UsageError(`${where}: is not a JSON object of header names and values; write it as {"x-api-key": "…"}.`);
}

/** A name for tables and files. */
const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40) || 'workflow';
