import { checkEach } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import { statSync } from 'node:fs';
import { z } from 'zod';
import { readJson } from '../../workflow/read-json.js';
import { activeNodes, type Workflow } from '../../workflow/file.js';

/** A credential as n8n imports it, with its values in plain text. */
export interface Credential {
  id: string;
  name: string;
  type: string;
  data: Record<string, unknown>;
}

const Credentials = z.array(
  z.object({
    id: z.string().min(1),
    name: z.string().min(1),
    type: z.string().min(1),
    data: z.record(z.string(), z.unknown(), { error: 'is encrypted' }),
  }),
);

/**
 * Reads the output of `n8n export:credentials --decrypted`. Messages never show values.
 * @throws UsageError that names the file and what is wrong in it
 */
export function readCredentials(file: string): Credential[] {
  const where = `--credentials ${file}`;
  const result = Credentials.safeParse(readJson(file, where));
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the document'}: ${message}`);
  throw new UsageError(
    `${where}: is not an export of credentials (${issues.join('; ')}); export it with "n8n export:credentials --all --decrypted --output=FILE".`,
  );
}

/** The given credentials that the workflows' nodes use. Throws UsageError that names the missing ones. */
export function usedCredentials(workflows: Workflow[], given: Credential[]): Credential[] {
  const needed = workflows.flatMap((workflow) =>
    activeNodes(workflow).flatMap((node) =>
      Object.entries(node.credentials ?? {}).map(([type, reference]) => ({ workflow, node, type, ...reference })),
    ),
  );
  const used = checkEach(needed, ({ workflow, node, type, id, name }) => {
    const found = given.find((c) => c.type === type && (id ? c.id === id : c.name === name));
    if (found) return found;
    throw new UsageError(
      `workflow "${workflow.name}": the node "${node.name}" needs the credential "${name ?? id}" (${type}), which is missing; add it to the --credentials file.`,
    );
  });
  return [...new Set(used)];
}

/** A warning if other users of this machine can read a file with secrets; otherwise undefined. */
export function exposure(file: string): string | undefined {
  const mode = statSync(file).mode & 0o777;
  return (mode & 0o077) === 0
    ? undefined
    : `${file} is readable by other users of this machine (mode ${mode.toString(8)}); run chmod 600 on it`;
}
