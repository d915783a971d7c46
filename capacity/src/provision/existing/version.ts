import { withDeadline } from '../../core/deadline.js';
import { fetchMetrics } from '../../observe/metrics.js';

const ANSWER_MS = 5000;

/** A version of n8n and its source. */
export interface KnownVersion {
  version: string;
  from: string;
}

/**
 * The version of an existing n8n. The public API does not contain it. Sources: /metrics if enabled, /rest/settings below n8n
 * 1.0, else the HTML of the editor.
 * @param url base URL of n8n
 * @param metrics URLs of /metrics of its processes
 */
export async function n8nVersionAt(url: string, metrics: string[]): Promise<KnownVersion | undefined> {
  for (const address of [...metrics, `${url}/metrics`]) {
    const version = (await fetchMetrics(address, ANSWER_MS))?.version;
    if (version !== undefined) return { version, from: '/metrics' };
  }
  const settings = versionInSettings(await fetchText(`${url}/rest/settings`));
  if (settings !== undefined) return { version: settings, from: '/rest/settings' };
  const page = versionInPage(await fetchText(`${url}/`));
  return page === undefined ? undefined : { version: page, from: 'the page of the editor' };
}

function versionInSettings(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { data?: { versionCli?: string } }).data?.versionCli;
  } catch {
    return undefined;
  }
}

/** Reads the editor's configuration of Sentry, Base64 in a meta element: `{"release":"n8n@2.41.1", …}`. */
export function versionInPage(page: string): string | undefined {
  const encoded = /<meta name="n8n:config:sentry" content="([A-Za-z0-9+/=]+)"/.exec(page)?.[1];
  if (encoded === undefined) return undefined;
  return /"release":"n8n@([^"]+)"/.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

async function fetchText(url: string): Promise<string> {
  try {
    return await withDeadline(ANSWER_MS, async (signal) => (await fetch(url, { signal })).text());
  } catch {
    return '';
  }
}
