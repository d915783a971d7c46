import { z } from 'zod';

/** Longest part of a value in a message, in characters. */
const MOST_SHOWN = 120;

/** A value in a message, on one line. */
export const shownValue = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, MOST_SHOWN);

/** What a value is, without the value, which may be secret. */
export function nounOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a section of keys';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

/** Text that a rule holds for; the message names the value, what it is not, and what is allowed. */
const textWith = (isValid: (text: string) => boolean, rule: string) =>
  z
    .string({
      error: ({ input }) => (input === undefined ? 'is missing' : `${shownValue(input)} is no text; quote it`),
    })
    .refine(isValid, { error: ({ input }) => `${shownValue(input)} ${rule}`, abort: true });

const matches = (pattern: RegExp, most: number) => (text: string) => text.length <= most && pattern.test(text);

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/**
 * Any text without the character that ends a text in C: the kernel refuses it in arguments and variables. It may be secret, so
 * the message does not show it.
 */
export const anyText = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : `is ${nounOf(input)}, not text`) })
  .refine((text) => !text.includes('\0'), { error: 'holds the character 0; remove it' });

/** RFC 1123 label, as names of containers, volumes and namespaces (Kubernetes, "Object Names and IDs"). */
export const dnsLabel = textWith(
  matches(LABEL, 63),
  'is no name of Kubernetes; write at most 63 lower-case letters, digits and hyphens',
);

/** RFC 1123 subdomain, as names of most objects (Kubernetes, "Object Names and IDs"). */
export const dnsSubdomain = textWith(
  matches(SUBDOMAIN, 253),
  'is no name of Kubernetes; write at most 253 lower-case letters, digits, hyphens and dots',
);

/** A segment of a path, as names of roles: they may hold a colon. */
export const pathSegment = textWith(
  (text) => text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text),
  'is no name of Kubernetes; it must not be empty, ".", ".." or hold / and %',
);

/** Key of a label or an annotation: a name, with a domain and a slash before it or not. */
export const qualifiedName = textWith((text) => {
  const parts = text.split('/');
  const [domain, name = ''] = parts.length === 1 ? [undefined, parts[0]] : parts;
  return parts.length <= 2 && matches(NAME_PART, 63)(name) && (domain === undefined || matches(SUBDOMAIN, 253)(domain));
}, 'is no key of Kubernetes; write at most 63 letters, digits, -, _ and ., such as example.org/name');

/** Value of a label. */
export const labelValue = textWith(
  (text) => text === '' || matches(NAME_PART, 63)(text),
  'is no value of a label; write at most 63 letters, digits, -, _ and .',
);

/** Key of a ConfigMap or Secret, which is the name of a file where it is mounted. */
export const dataKey = textWith(
  (text) => matches(/^[-._a-zA-Z0-9]+$/, 253)(text) && text !== '.' && !text.startsWith('..'),
  'is no key of a ConfigMap or Secret; write letters, digits, -, _ and ., without .. at its beginning',
);

/** Name of an environment variable, and a prefix of such names. */
export const variableName = textWith(
  (text) => /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(text) && text !== '.' && !text.startsWith('..'),
  'is no name of a variable; write letters, digits, -, _ and ., without a digit at its beginning',
);

const hasControl = (text: string) => /\p{Cc}/u.test(text);
const leavesRoot = (text: string) => text.split('/').includes('..');

/** Path in a container at which a volume is mounted. */
export const mountPath = textWith(
  (text) => text.startsWith('/') && !leavesRoot(text) && !text.includes(':') && !hasControl(text),
  'is no path of a mount; write an absolute path without .. and :',
);

/** Path below a volume. */
export const pathInside = textWith(
  (text) => !text.startsWith('/') && !leavesRoot(text) && !hasControl(text),
  'leaves its volume; write a relative path without ..',
);
