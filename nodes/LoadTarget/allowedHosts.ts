import { isIPv6 } from 'node:net';

const VARIABLE = 'N8N_LOAD_TARGET_ALLOWED_HOSTS';
const DEFAULT = '127.0.0.1, localhost, ::1';

/** Each request has a copy of the URL. */
const MAX_LENGTH = 2048;

/**
 * The URL of a parameter, if the operator allows its host: `http` or `https`, without user and password. Everything is
 * judged and sent in the form the WHATWG parser gives it, in which `http://2130706433/`, `HTTP://127.1` and
 * `http://127.0.0.1/` are one, and `http://127.0.0.1@elsewhere/` is elsewhere.
 */
export function readUrl(name: string, value: unknown): URL {
  const url = typeof value === 'string' ? parse(value) : undefined;
  // What is no URL is not shown: it may hold a secret all the same.
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${name} must be a URL that starts with http:// or https://`);
  }
  if (url.href.length > MAX_LENGTH) {
    throw new Error(`${name} has ${url.href.length} characters: must have ${MAX_LENGTH} at most`);
  }
  if (url.username || url.password) {
    throw new Error(`${name} has a user or password in it: must be without, because it is shown in outputs and logs`);
  }
  if (!isAllowed(url)) {
    throw new Error(`${name} leads to ${url.host}: must be one of ${hostList()}, which ${VARIABLE} replaces`);
  }
  if (isProxied(url)) {
    throw new Error(
      `${name} leads to ${url.host}, but n8n's HTTP proxy would be asked instead: add ${url.hostname} to NO_PROXY`,
    );
  }
  url.hash = '';
  return url;
}

/** A URL as outputs and errors show it: what is behind `?` may be secret. */
export const shown = ({ origin, pathname }: URL): string => origin + pathname;

function isAllowed(url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return hostList()
    .split(',')
    .map(entryOf)
    .some((entry) => entry.hostname === url.hostname && (entry.port ?? port) === port);
}

/** What the operator allows: the default, or what stands in its place. */
const hostList = (): string => process.env[VARIABLE]?.trim() || DEFAULT;

/** `host`, any port of it, or `host:port`. */
function entryOf(text: string): { hostname: string; port?: string } {
  const entry = text.trim();
  const [, host, port] = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d+))?$/i.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  const hostname = host && parse(`http://${host}`)?.hostname;
  if (!hostname) {
    throw new Error(`${VARIABLE} has "${entry}": must be hosts or host:port, separated by commas, without wildcards`);
  }
  return { hostname, port: port && String(Number(port)) };
}

/** Whether the environment sends requests to this host through a proxy, as axios and its kind read it. */
function isProxied({ protocol, hostname }: URL): boolean {
  const read = (name: string) => process.env[name] || process.env[name.toUpperCase()] || '';
  if (!read(`${protocol.slice(0, -1)}_proxy`) && !read('all_proxy')) return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  const exceptions = read('no_proxy').split(/[\s,]+/);
  return !exceptions.some((entry) => entry === '*' || entry === host || entry === hostname);
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
