import { expect } from '@jest/globals';
import { planSchema, type Plan } from '../../../capacity/src/model/plan.js';
import { redactedPlan } from '../../../capacity/src/plan/redact.js';

/** Asserts that a plan that was accepted can be recorded, and is read again as it was. */
export function expectRecordable(plan: Plan): void {
  const recorded = JSON.parse(JSON.stringify(redactedPlan(plan))) as unknown;
  const read = planSchema.safeParse(recorded);
  expect(read.success ? undefined : read.error.issues).toBeUndefined();
  expect(JSON.parse(JSON.stringify(read.data))).toEqual(recorded);
}
