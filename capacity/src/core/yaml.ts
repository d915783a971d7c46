import { readFileSync } from 'node:fs';
import { Document, parseAllDocuments, type YAMLParseError } from 'yaml';
import { throwIfProblems } from './all-of.js';
import { messageOf, UsageError, describeReadError } from './errors.js';

/**
 * Reads a YAML file as helm does: merge keys are honoured.
 * @param source begins the message of an error
 * @param todo advice for a file that cannot be read, without a full stop
 * @param schema `failsafe` returns every scalar as text
 * @throws UsageError when the file cannot be read, is not YAML or has several documents
 */
export function readYamlFile(
  file: string,
  source: string,
  todo: string,
  schema: 'core' | 'failsafe' = 'core',
): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${source}: ${describeReadError(error)}; ${todo}.`);
  }
  return parseYaml(text, source, schema);
}

/** Helm reads YAML 1.1, in which `off`, `yes` and `1_000` are text only in quotes. */
const HELM_OPTIONS = { compat: 'yaml-1.1' } as const;

/** A YAML document from which helm reads exactly this content. */
export const toHelmDocument = (content: unknown): Document => new Document(content, HELM_OPTIONS);

/** A YAML text from which helm reads exactly this content. */
export const toHelmYaml = (content: unknown): string => toHelmDocument(content).toString();

/** Parses one document. Throws UsageError that begins with `source` if the text is not YAML or has several documents. */
function parseYaml(text: string, source: string, schema: 'core' | 'failsafe'): unknown {
  const documents = parseYamlDocuments(text, source, { merge: true, schema });
  if (documents.length > 1)
    throw new UsageError(`${source}: has ${documents.length} YAML documents; write one document a file.`);
  return documents[0];
}

/**
 * The contents of all documents of a YAML text.
 * @throws UsageError that begins with `source` when the text is not YAML, or a value contains an alias of itself
 */
export function parseYamlDocuments(
  text: string,
  source: string,
  options: { merge?: boolean; schema?: 'core' | 'failsafe' } = {},
): unknown[] {
  try {
    const documents = parseAllDocuments(text, options);
    if (!Array.isArray(documents)) return [];
    throwIfProblems(documents.flatMap(({ errors }) => describeYamlErrors(errors, text, source)));
    const contents = documents.map((document) => document.toJS() as unknown);
    contents.forEach(refuseCycles);
    return contents;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The library finds an alias without an anchor, or too many aliases, only when it builds the content. A RangeError is a
    // stack overflow.
    const why = error instanceof RangeError ? 'it is nested too deeply' : firstLine(messageOf(error));
    throw new UsageError(`${source}: is not valid YAML: ${why}`);
  }
}

/** Throws if a value contains itself, through an alias within its own anchor. */
function refuseCycles(content: unknown): void {
  const [above, done] = [new Set<object>(), new Set<object>()];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || done.has(value)) return;
    if (above.has(value)) throw new Error('an alias is inside the value that it refers to; remove the alias.');
    above.add(value);
    Object.values(value).forEach(visit);
    above.delete(value);
    done.add(value);
  };
  visit(content);
}

/**
 * Describes the errors in a YAML text, each with its line, its column and the text of the line. Only the first error of a line
 * is listed, as the others mostly follow from it.
 */
export function describeYamlErrors(errors: YAMLParseError[], text: string, source: string): string[] {
  const lines = text.split(/\r?\n/);
  const seen = new Set<number>();
  return errors.flatMap(({ message, linePos }) => {
    const [{ line, col } = { line: 0, col: 0 }] = linePos ?? [];
    if (seen.has(line)) return [];
    seen.add(line);
    // The library's own message repeats the place after its first sentence.
    const reason = firstLine(message).replace(/ at line \d+, column \d+:?$/, '');
    const shown = (lines[line - 1] ?? '').trim().slice(0, MAX_SHOWN_CHARACTERS);
    return [`${source}: is not valid YAML at line ${line}, column ${col}: ${reason}: ${JSON.stringify(shown)}`];
  });
}

/** Characters of a line that an error shows at most. */
const MAX_SHOWN_CHARACTERS = 120;

const firstLine = (text: string): string => text.split('\n')[0]!;
