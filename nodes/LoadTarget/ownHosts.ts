import { hostname, networkInterfaces } from 'node:os';

/** Variables of n8n that hold one of its URLs, and the one that holds its host. */
const URL_VARIABLES = ['WEBHOOK_URL', 'N8N_WEBHOOK_URL', 'WEBHOOK_TUNNEL_URL', 'N8N_EDITOR_BASE_URL'];
const HOST_VARIABLE = 'N8N_HOST';

/**
 * Whether a URL may lead to this n8n: to this machine, at any port, as a proxy or another process of n8n may listen there,
 * or to a host that n8n's own environment names. Another name of n8n, such as that of a Service, is not recognised.
 */
export function mayLeadToThisN8n({ hostname: host }: URL): boolean {
  const name = normalizeHost(host);
  return isLoopback(name) || namesOfThisN8n().includes(name);
}

const isLoopback = (name: string): boolean =>
  /^(127\.|0\.0\.0\.0$|::1?$|::ffff:7f)/.test(name) || /(^|\.)localhost$/.test(name);

/** The names and addresses of this machine, and the hosts in the environment of n8n. */
function namesOfThisN8n(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
  const urls = URL_VARIABLES.map((variable) => process.env[variable]?.trim() ?? '');
  const hosts = [hostname(), process.env[HOST_VARIABLE]?.trim() ?? '', ...addresses];
  const named = [...urls, ...hosts.map((host) => `http://${host.includes(':') ? `[${host}]` : host}`)];
  return named.flatMap((text) => parseHost(text) ?? []);
}

/** The host of a URL in the normal form of the WHATWG parser; undefined if the text is not a URL. */
function parseHost(text: string): string | undefined {
  try {
    return normalizeHost(new URL(text).hostname);
  } catch {
    return undefined;
  }
}

/** Without the brackets of an IPv6 address, and without the final period of a name. */
const normalizeHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
