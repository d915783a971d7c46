import { execa } from 'execa';
import { parseDocument, visit } from 'yaml';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { chartFolder } from '../../../capacity/src/core/paths.js';
import { helm } from '../../support/tools.js';

/** Fails unless the work ends with a UsageError that holds a fact. */
export async function expectRefused(work: Promise<unknown>, fact: string): Promise<void> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).message).toContain(fact);
}

/** Fails if the chart refuses the values, or a number in them has no source. */
export async function expectSound(values: string): Promise<void> {
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', '-'], { input: values });
  visit(parseDocument(values), {
    Scalar(key, node) {
      if (key !== 'key' && /^\d+(m|Mi|Gi)?$/.test(String(node.value)))
        expect(node.comment).toMatch(/^ (measured|computed|given): .*\.(ndjson|json|yaml)/);
    },
  });
}
