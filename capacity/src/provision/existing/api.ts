import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, UsageError } from '../../core/errors.js';

/** Long enough for an n8n under load, short enough to end a run. */
const ANSWER_MS = 30_000;
/** The most that n8n gives at once. */
const PAGE = 250;

/** A workflow or a credential, as a list shows it. */
export interface Listed {
  id: string;
  name: string;
}

/** A workflow with what it does. */
export interface ListedWorkflow extends Listed {
  nodes: unknown;
  /** What is published; absent below n8n 2.0, and in older answers. */
  activeVersion?: { nodes: unknown } | null;
}

/** An execution that has ended or waits. */
export interface Execution {
  id: string;
  status: string;
}

/** n8n refused a request, or did not answer it. */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    message: string,
    /** HTTP status; undefined when there was no answer. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** n8n's public REST API, `/api/v1`. The key is in no message. */
export class N8nApi {
  constructor(
    /** Base URL of n8n, without a slash at its end. */
    readonly url: string,
    private readonly key: string,
  ) {}

  workflows = (): Promise<Listed[]> => this.all<Listed>('workflows?excludePinnedData=true');
  activeWorkflows = (): Promise<ListedWorkflow[]> =>
    this.all<ListedWorkflow>('workflows?active=true&excludePinnedData=true');
  credentials = (): Promise<Listed[]> => this.all<Listed>('credentials');
  createWorkflow = (workflow: object): Promise<Listed> => this.request('POST', 'workflows', workflow);
  createCredential = (credential: object): Promise<Listed> => this.request('POST', 'credentials', credential);
  activate = (id: string): Promise<unknown> => this.request('POST', `workflows/${id}/activate`, {});
  deleteCredential = (id: string): Promise<void> => this.remove(`credentials/${id}`);

  /** Deactivates it, and removes it with its executions. */
  async deleteWorkflow(id: string): Promise<void> {
    await this.request('POST', `workflows/${id}/deactivate`, {}).catch(() => {});
    await this.remove(`workflows/${id}`);
  }

  /** Id of a workflow's newest execution that has ended; 0 where there is none. */
  async newestExecution(workflowId: string): Promise<number> {
    for await (const [newest] of this.executions(workflowId, ANSWER_MS)) return Number(newest?.id ?? 0);
    return 0;
  }

  /** The newest executions of a workflow that do not run any more, page by page. */
  async *executions(workflowId: string, timeoutMs: number): AsyncGenerator<Execution[]> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `executions?workflowId=${workflowId}&limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: Page<Execution> = await this.request('GET', path, undefined, timeoutMs);
      yield page.data;
      cursor = page.nextCursor;
    }
  }

  private async all<T>(path: string): Promise<T[]> {
    const found: T[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const separator = path.includes('?') ? '&' : '?';
      const page: Page<T> = await this.request(
        'GET',
        `${path}${separator}limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      found.push(...page.data);
      cursor = page.nextCursor;
    }
    return found;
  }

  /** What is gone already is as good as removed. n8n under load is asked again, longer while it still unpublishes a workflow. */
  private async remove(path: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return void (await this.request('DELETE', path));
      } catch (error) {
        const status = error instanceof ApiError ? error.status : undefined;
        if (status === 404) return;
        if (attempt >= (status === 409 ? 60 : 3)) throw error;
        await sleep(1000);
      }
    }
  }

  private async request<T>(method: string, path: string, body?: object, timeoutMs = ANSWER_MS): Promise<T> {
    const what = `${method} ${this.url}/api/v1/${path.replace(/\?.*$/, '')}`;
    let response;
    let text;
    try {
      response = await fetch(`${this.url}/api/v1/${path}`, {
        method,
        redirect: 'manual',
        headers: {
          'x-n8n-api-key': this.key,
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await response.text();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
      throw new ApiError(`${what}: no answer: ${messageOf(error)}${cause}`);
    }
    if (!response.ok) throw new ApiError(`${what}: HTTP ${response.status} ${messageIn(text)}`, response.status);
    return (text === '' ? undefined : parsed(text, what)) as T;
  }
}

interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(`${what}: the answer is not JSON; is this the address of an n8n?`);
  }
}

/** n8n's own words of what is wrong. */
function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? '';
  } catch {
    return '';
  }
}

/** Says what to do about an error of the API. */
export function explained(error: unknown): UsageError {
  if (!(error instanceof ApiError)) return new UsageError(messageOf(error));
  const advice =
    error.status === 401
      ? '; set N8N_API_KEY to a key of that n8n (Settings, n8n API)'
      : error.status === 403
        ? '; the key needs the scopes workflow, credential and execution'
        : '';
  return new UsageError(`${error.message}${advice}`);
}
