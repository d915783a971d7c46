import { isIPv6 } from 'node:net';
import { EnvironmentError } from './ceilings/ceiling';
import { ParameterError } from '../shared/parameters';

const VARIABLE = 'N8N_LOAD_TARGET_ALLOWED_HOSTS';
const DEFAULT = '127.0.0.1, localhost, ::1';

/** Longest URL, in characters. Each request holds a copy of it. */
const MAX_LENGTH = 2048;

/**
 * Reads a URL from a parameter: `http` or `https`, without user and password, to a host that the operator allows. The URL is
 * checked and sent in the normal form of the WHATWG parser, in which `http://2130706433/`, `HTTP://127.1` and
 * `http://127.0.0.1/` are equal, and `http://127.0.0.1@elsewhere/` has the host `elsewhere`.
 * @throws ParameterError if the URL is not allowed, EnvironmentError if the list of hosts cannot be read
 */
export function readUrl(name: string, value: unknown): URL {
  const url = typeof value === 'string' ? parse(value) : undefined;
  // A text that is not a URL may still hold a secret, so the message does not show it.
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ParameterError(
      name,
      `${name} is not a URL of a web server`,
      `Set ${name} to a URL that starts with http:// or https://.`,
    );
  }
  if (url.href.length > MAX_LENGTH) {
    throw new ParameterError(
      name,
      `${name} has ${url.href.length} characters`,
      `Shorten it to ${MAX_LENGTH} characters.`,
    );
  }
  if (url.username || url.password) {
    throw new ParameterError(
      name,
      `${name} has a user or password in it`,
      'Remove it, because outputs and logs show the URL.',
    );
  }
  if (!isAllowed(url)) {
    throw new ParameterError(
      name,
      `${name} leads to ${url.host}, which is not an allowed host`,
      `Allowed hosts are ${allowedHostList()}. Set the environment variable ${VARIABLE} of n8n to allow others.`,
    );
  }
  if (isProxied(url)) {
    throw new ParameterError(
      name,
      `${name} leads to ${url.host}, but n8n would send the request to its HTTP proxy`,
      `Add ${url.hostname} to the environment variable NO_PROXY of n8n.`,
    );
  }
  url.hash = '';
  return url;
}

/** A URL in outputs and errors: without its query, which may be secret. */
export const withoutQuery = ({ origin, pathname }: URL): string => origin + pathname;

function isAllowed(url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return allowedHostList()
    .split(',')
    .map(parseEntry)
    .some((entry) => entry.hostname === url.hostname && (entry.port ?? port) === port);
}

/** The hosts that the operator allows, or the default. */
const allowedHostList = (): string => process.env[VARIABLE]?.trim() || DEFAULT;

/** Reads `host`, which allows every port, or `host:port`. */
function parseEntry(text: string): { hostname: string; port?: string } {
  const entry = text.trim();
  const [, host, port] = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d+))?$/i.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  const hostname = host && parse(`http://${host}`)?.hostname;
  if (!hostname) {
    throw new EnvironmentError(
      VARIABLE,
      `The environment variable ${VARIABLE} of n8n cannot have "${entry}"`,
      'Write host or host:port, separated by commas, without wildcards, and restart n8n.',
    );
  }
  return { hostname, port: port && String(Number(port)) };
}

/** Whether the environment sends requests to this host through a proxy, as axios reads it. */
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
