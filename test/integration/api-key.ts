const SCOPES = [
  ...['workflow:create', 'workflow:read', 'workflow:list', 'workflow:delete', 'workflow:activate'],
  ...['workflow:deactivate', 'credential:create', 'credential:list', 'credential:delete', 'execution:list'],
];

/** Makes the owner of a new n8n, and a key of its API. */
export async function apiKey(url: string, scopes = SCOPES): Promise<string> {
  const owner = { email: 'owner@example.com', firstName: 'Ada', lastName: 'Lovelace', password: 'Correct-Horse-1' };
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${url}/rest/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'browser-id': 'test', cookie },
      body: JSON.stringify(body),
    });
  const setUp = await post('owner/setup', owner);
  const cookie = setUp.headers
    .getSetCookie()
    .map((c) => c.split(';')[0])
    .join('; ');
  const answer = await (await post('api-keys', { label: 'test', expiresAt: null, scopes }, cookie)).text();
  const { data } = JSON.parse(answer) as { data?: { rawApiKey?: string } };
  if (!data?.rawApiKey) throw new Error(`n8n gave no API key: ${setUp.status} ${answer}`);
  return data.rawApiKey;
}
