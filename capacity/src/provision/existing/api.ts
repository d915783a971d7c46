import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../../core/deadline.js';
import { EnvironmentFault, messageOf, UsageError } from '../../core/errors.js';

/** Long enough for an n8n under load. */
const ANSWER_MS = 30_000;
/** n8n's largest page. */
const PAGE = 250;
/** Tries of a removal, a second apart: while n8n still unpublishes a workflow, and for any other error. */
const UNPUBLISH_TRIES = 60;
const DELETE_TRIES = 3;

/** A workflow or a credential in a list. */
export interface Listed {
  id: string;
  name: string;
}

/** A workflow with its nodes. */
export interface ListedWorkflow extends Listed {
  nodes: unknown;
  /** The published version; undefined below n8n 2.0. */
  activeVersion?: { nodes: unknown } | null;
}

/** An execution that has ended or waits. */
export interface Execution {
  id: string;
  status: string;
}

/** When and how an execution began. */
export interface StartedExecution {
  workflowId: string;
  startedAt: string | null;
  mode: string;
}

/** What to do about a status of the API. */
const ADVICE: Record<number, string> = {
  401: '; set N8N_API_KEY to a key of that n8n (Settings, n8n API)',
  403: '; the key needs the scopes workflow, credential and execution',
};

/** n8n refused a request with this HTTP status, below 500. */
export class ApiRefused extends UsageError {
  override name = 'ApiRefused';

  constructor(
    message: string,
    readonly status: number,
  ) {
    super(`${message}${ADVICE[status] ?? ''}`);
  }
}

/**
 * n8n's public REST API, `/api/v1`. Its methods throw ApiRefused, UsageError when the address is not an n8n's, and
 * EnvironmentFault when n8n does not answer or fails. No message contains the key.
 */
export class N8nApi {
  constructor(
    /** Base URL of n8n, without a slash at its end. */
    readonly url: string,
    private readonly key: string,
  ) {}

  workflows = (): Promise<Listed[]> => this.all<Listed>('workflows?excludePinnedData=true');
  activeWorkflows = (): Promise<ListedWorkflow[]> =>
    this.all<ListedWorkflow>('workflows?active=true&excludePinnedData=true');
  /** Undefined where the key does not see it. */
  workflow = (id: string): Promise<ListedWorkflow | undefined> =>
    this.request<ListedWorkflow>('GET', `workflows/${encodeURIComponent(id)}`).catch((error: unknown) => {
      if (error instanceof ApiRefused && [403, 404].includes(error.status)) return undefined;
      throw error;
    });
  credentials = (): Promise<Listed[]> => this.all<Listed>('credentials');
  createWorkflow = (workflow: object): Promise<Listed> => this.request('POST', 'workflows', workflow);
  createCredential = (credential: object): Promise<Listed> => this.request('POST', 'credentials', credential);
  activate = (id: string): Promise<unknown> => this.request('POST', `workflows/${id}/activate`, {});
  deleteCredential = (id: string): Promise<void> => this.remove(`credentials/${id}`);

  /** Deactivates a workflow and removes it with its executions. */
  async deleteWorkflow(id: string): Promise<void> {
    await this.request('POST', `workflows/${id}/deactivate`, {}).catch(() => {});
    await this.remove(`workflows/${id}`);
  }

  /** Id of a workflow's newest finished execution; 0 if there is none. */
  async newestExecution(workflowId: string): Promise<number> {
    for await (const [newest] of this.executions(workflowId, ANSWER_MS)) return Number(newest?.id ?? 0);
    return 0;
  }

  /** Finished executions of a workflow, newest first, page by page. */
  executions(workflowId: string, timeoutMs: number): AsyncGenerator<Execution[]> {
    return this.pages(`executions?workflowId=${workflowId}`, timeoutMs);
  }

  /** Finished executions of all workflows, newest first, page by page. */
  startedExecutions(): AsyncGenerator<StartedExecution[]> {
    return this.pages('executions');
  }

  private async all<T>(path: string): Promise<T[]> {
    const found: T[] = [];
    for await (const page of this.pages<T>(path)) found.push(...page);
    return found;
  }

  /** Lists page by page. An answer without a cursor is the last one: n8n sends null, a proxy may leave that out. */
  private async *pages<T>(path: string, timeoutMs?: number): AsyncGenerator<T[]> {
    const limited = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
    let cursor: string | null | undefined;
    do {
      const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const page: Page<T> = await this.request('GET', `${limited}${next}`, undefined, timeoutMs);
      yield page.data;
      cursor = page.nextCursor;
    } while (cursor);
  }

  /** Deletes; 404 counts as deleted. Other errors are retried: a busy n8n answers 409 while it still unpublishes a workflow. */
  private async remove(path: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return void (await this.request('DELETE', path));
      } catch (error) {
        const status = error instanceof ApiRefused ? error.status : undefined;
        if (status === 404) return;
        if (attempt >= (status === 409 ? UNPUBLISH_TRIES : DELETE_TRIES)) throw error;
        await sleep(1000);
      }
    }
  }

  private async request<T>(method: string, path: string, body?: object, timeoutMs = ANSWER_MS): Promise<T> {
    const what = `${method} ${this.url}/api/v1/${path.replace(/\?.*$/, '')}`;
    const headers = {
      'x-n8n-api-key': this.key,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    };
    const ask = async (signal: AbortSignal) => {
      const sent = {
        method,
        headers,
        redirect: 'manual' as const,
        signal,
        ...(body && { body: JSON.stringify(body) }),
      };
      const answer = await fetch(`${this.url}/api/v1/${path}`, sent);
      return { response: answer, text: await answer.text() };
    };
    let response;
    let text;
    try {
      ({ response, text } = await withDeadline(timeoutMs, ask));
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
      throw new EnvironmentFault(`${what}: no answer: ${messageOf(error)}${cause}`);
    }
    if (!response.ok) throw failure(`${what}: HTTP ${response.status} ${messageIn(text)}`, response.status);
    return (text === '' ? undefined : parsed(text, what)) as T;
  }
}

interface Page<T> {
  data: T[];
  nextCursor?: string | null;
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${what}: the answer is not JSON; check that the address is that of an n8n.`);
  }
}

/** n8n's own error message. */
function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? '';
  } catch {
    return '';
  }
}

const failure = (message: string, status: number): Error =>
  status >= 500 ? new EnvironmentFault(message) : new ApiRefused(message, status);
