import { withDeadline } from '../core/deadline.js';

/** A webhook of an active workflow. */
export interface ProbedWebhook {
  path: string;
  /** Method of a custom workflow's webhook, which must not be called to test it; undefined: a load target. */
  method?: string;
}

/** Whether n8n serves the webhook: a load target answers 403 without its token; for others n8n lists the methods. */
export async function isRegistered(base: string, { path, method }: ProbedWebhook): Promise<boolean> {
  if (method === undefined) return (await status(`${base}${path}`)) === 403;
  const response = await answer(`${base}${path}`, {
    method: 'OPTIONS',
    headers: { origin: base, 'access-control-request-method': method },
  });
  // n8n below 1.0 sends `allow`, newer ones the CORS header.
  const methods = response?.headers.get('allow') ?? response?.headers.get('access-control-allow-methods') ?? '';
  return methods.split(/,\s*/).includes(method);
}

/** Status of the answer to a GET; undefined without an answer within 2 s. */
export const status = async (url: string): Promise<number | undefined> => (await answer(url))?.status;

/** The answer; undefined if none comes within 2 s. */
async function answer(url: string, init: RequestInit = {}): Promise<Response | undefined> {
  try {
    return await withDeadline(2000, async (signal) => {
      const response = await fetch(url, { ...init, signal, redirect: 'manual' });
      await response.arrayBuffer();
      return response;
    });
  } catch {
    return undefined;
  }
}
