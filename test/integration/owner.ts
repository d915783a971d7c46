const SCOPES = [
  ...['workflow:create', 'workflow:read', 'workflow:list', 'workflow:delete', 'workflow:activate'],
  ...['workflow:deactivate', 'credential:create', 'credential:list', 'credential:delete', 'execution:list'],
];

/** The owner of an n8n, as the editor speaks for them. */
export class Owner {
  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  /** Makes the owner of a new n8n. */
  static async of(url: string): Promise<Owner> {
    const owner = { email: 'owner@example.com', firstName: 'Ada', lastName: 'Lovelace', password: 'Correct-Horse-1' };
    const setUp = await post(`${url}/rest/owner/setup`, owner);
    if (!setUp.ok) throw new Error(`n8n made no owner: ${setUp.status} ${await setUp.text()}`);
    const cookies = setUp.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    return new Owner(url, cookies.join('; '));
  }

  /** Makes a key of n8n's API. */
  async apiKey(scopes = SCOPES): Promise<string> {
    const { rawApiKey } = await this.ask<{ rawApiKey: string }>('api-keys', { label: 'test', expiresAt: null, scopes });
    return rawApiKey;
  }

  /** Runs a workflow as the editor's button does; returns the id of the execution. */
  async run(workflowId: string, trigger: string): Promise<string> {
    const { executionId } = await this.ask<{ executionId: string }>(`workflows/${workflowId}/run`, {
      triggerToStartFrom: { name: trigger },
    });
    return executionId;
  }

  private async ask<T>(path: string, body: object): Promise<T> {
    const answer = await post(`${this.url}/rest/${path}`, body, this.cookie);
    const text = await answer.text();
    const { data } = (answer.ok ? JSON.parse(text) : {}) as { data?: T };
    if (!data) throw new Error(`POST /rest/${path}: ${answer.status} ${text}`);
    return data;
  }
}

const post = (url: string, body: object, cookie = '') =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'browser-id': 'test', cookie },
    body: JSON.stringify(body),
  });

/** Makes the owner of a new n8n, and a key of its API. */
export const apiKey = async (url: string, scopes?: string[]): Promise<string> => (await Owner.of(url)).apiKey(scopes);
