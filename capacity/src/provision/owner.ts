import { randomBytes } from 'node:crypto';
import { EnvironmentFault } from '../core/errors.js';

/** The owner of an n8n of our own, as the editor speaks for them. */
export class Owner {
  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  /**
   * Makes the owner of a new n8n, with a random password that is not kept.
   * @param url of main
   * @throws EnvironmentFault if n8n makes none
   */
  static async of(url: string): Promise<Owner> {
    const password = `Aa1${randomBytes(16).toString('hex')}`;
    const owner = { email: 'owner@example.com', firstName: 'n8n', lastName: 'capacity', password };
    const answer = await post(`${url}/rest/owner/setup`, owner);
    if (!answer.ok) throw new EnvironmentFault(`n8n made no owner: ${answer.status} ${await answer.text()}`);
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    return new Owner(url, cookies.join('; '));
  }

  /**
   * Makes a key of n8n's API.
   * @param scopes what it allows, such as `workflow:list`
   * @throws EnvironmentFault if n8n makes none
   */
  async apiKey(scopes: string[]): Promise<string> {
    const { rawApiKey } = await this.ask<{ rawApiKey: string }>('api-keys', {
      label: 'n8n-capacity',
      expiresAt: null,
      scopes,
    });
    return rawApiKey;
  }

  /**
   * Posts to the API of the editor.
   * @throws EnvironmentFault if n8n does not answer with data
   */
  async ask<T>(path: string, body: object): Promise<T> {
    const answer = await post(`${this.url}/rest/${path}`, body, this.cookie);
    const text = await answer.text();
    const { data } = (answer.ok ? JSON.parse(text) : {}) as { data?: T };
    if (!data) throw new EnvironmentFault(`POST /rest/${path}: ${answer.status} ${text}`);
    return data;
  }
}

const LIMIT_MS = 30_000;

const post = (url: string, body: object, cookie = '') =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'browser-id': 'n8n-capacity', cookie },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
