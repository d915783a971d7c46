import { z } from 'zod';

/** Characters of a value that a message shows at most. */
const SHOWN_CHARACTERS = 120;

/** A value in a message, on one line. */
export const formatValue = (value: unknown): string =>
  (JSON.stringify(value) ?? String(value)).slice(0, SHOWN_CHARACTERS);

/** The kind of a value in words. The value itself may be secret, so it is not shown. */
export function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a section of keys';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

/** Text that satisfies a rule. The message is the value and `rule`, such as `is not a label value; write at most 63 letters`. */
const textWith = (isValid: (text: string) => boolean, rule: string) =>
  z
    .string({
      error: ({ input }) => (input === undefined ? 'is missing' : `${formatValue(input)} is not text; quote it`),
    })
    .refine(isValid, { error: ({ input }) => `${formatValue(input)} ${rule}`, abort: true });

const matches = (pattern: RegExp, most: number) => (text: string) => text.length <= most && pattern.test(text);

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/**
 * Any text without a null character, which the kernel refuses in arguments and variables. The text may be secret, so the
 * message does not show it.
 */
export const anyText = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : `is ${kindOfValue(input)}, not text`) })
  .refine((text) => !text.includes('\0'), { error: 'contains a null character; remove it' });

/** RFC 1123 label, as names of containers, volumes and namespaces (Kubernetes, "Object Names and IDs"). */
export const dnsLabel = textWith(
  matches(LABEL, 63),
  'is not a Kubernetes name; write at most 63 lower-case letters, digits and hyphens',
);

/** RFC 1123 subdomain, as names of most objects (Kubernetes, "Object Names and IDs"). */
export const dnsSubdomain = textWith(
  matches(SUBDOMAIN, 253),
  'is not a Kubernetes name; write at most 253 lower-case letters, digits, hyphens and dots',
);

/** A path segment, such as the name of a role, which may contain a colon. */
export const pathSegment = textWith(
  (text) => text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text),
  'is not a Kubernetes name; it must not be empty, "." or "..", or contain / or %',
);

/** Key of a label or an annotation: a name, optionally after a domain and a slash. */
export const qualifiedName = textWith((text) => {
  const parts = text.split('/');
  const [domain, name = ''] = parts.length === 1 ? [undefined, parts[0]] : parts;
  return parts.length <= 2 && matches(NAME_PART, 63)(name) && (domain === undefined || matches(SUBDOMAIN, 253)(domain));
}, 'is not a Kubernetes key; write at most 63 letters, digits, -, _ and ., such as example.org/name');

/** Value of a label. */
export const labelValue = textWith(
  (text) => text === '' || matches(NAME_PART, 63)(text),
  'is not a label value; write at most 63 letters, digits, -, _ and .',
);

/** Key of a ConfigMap or Secret, which becomes a file name where it is mounted. */
export const dataKey = textWith(
  (text) => matches(/^[-._a-zA-Z0-9]+$/, 253)(text) && text !== '.' && !text.startsWith('..'),
  'is not a key of a ConfigMap or Secret; write letters, digits, -, _ and ., and do not begin with ..',
);

/** Name of an environment variable, or a prefix of such names. */
export const variableName = textWith(
  (text) => /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(text) && text !== '.' && !text.startsWith('..'),
  'is not a variable name; write letters, digits, -, _ and ., and do not begin with a digit',
);

const hasControlCharacter = (text: string) => /\p{Cc}/u.test(text);
const hasParentSegment = (text: string) => text.split('/').includes('..');

/** Path in a container at which a volume is mounted. */
export const mountPath = textWith(
  (text) => text.startsWith('/') && !hasParentSegment(text) && !text.includes(':') && !hasControlCharacter(text),
  'is not a mount path; write an absolute path without .. and :',
);

/** Path below a volume. */
export const pathInside = textWith(
  (text) => !text.startsWith('/') && !hasParentSegment(text) && !hasControlCharacter(text),
  'leaves its volume; write a relative path without ..',
);
