import { randomBytes } from 'node:crypto';
import { withDeadline } from '../core/deadline.js';
import { EnvironmentFault, messageOf } from '../core/errors.js';

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
    const body = { email: 'owner@example.com', firstName: 'n8n', lastName: 'capacity', password };
    const { headers } = await sendRequest(`${url}/rest/owner/setup`, { body, headers: BROWSER });
    const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
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
    const url = `${this.url}/rest/${path}`;
    const { data } = await ask<{ data?: T }>(url, { body, headers: { ...BROWSER, cookie: this.cookie } });
    if (!data) throw new EnvironmentFault(`POST ${url}: n8n answered without data.`);
    return data;
  }
}

interface Question {
  /** POST if undefined. */
  method?: 'POST' | 'PUT';
  body: object;
  headers: Record<string, string>;
}

/**
 * Sends JSON to an API of n8n.
 * @returns its answer
 * @throws EnvironmentFault if n8n does not answer with JSON in time, or with another status than 2xx
 */
export async function ask<T>(url: string, question: Question): Promise<T> {
  const { text } = await sendRequest(url, question);
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new EnvironmentFault(`${url}: n8n did not answer with JSON: ${text.slice(0, 200)}`);
  }
}

const BROWSER = { 'browser-id': 'n8n-capacity' };
const LIMIT_MS = 30_000;

interface Answer {
  headers: Headers;
  text: string;
}

async function sendRequest(url: string, { method = 'POST', body, headers }: Question): Promise<Answer> {
  const asked = {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  try {
    return await withDeadline(LIMIT_MS, async (signal) => {
      const answer = await fetch(url, { ...asked, signal });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${answer.status} ${text}`);
      return { headers: answer.headers, text };
    });
  } catch (error) {
    throw new EnvironmentFault(`${method} ${url}: ${messageOf(error)}`);
  }
}
