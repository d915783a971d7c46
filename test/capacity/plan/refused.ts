import { UsageError } from '../../../capacity/src/core/errors.js';

/** Expects a UsageError whose message has all these parts: the option, the value, what is known instead. */
export function expectRefused(act: () => unknown, parts: string[]): void {
  expect(act).toThrow(UsageError);
  for (const part of parts) expect(act).toThrow(part);
}
