import { documentOf, suite, verdictCase, OUTCOMES, type Case } from '../../../report/junit.js';
import type { FaultRow, FaultsConclusion } from '../record.js';
import { faultDetails } from './facts.js';

/** A run of `faults` as JUnit XML: its verdict, and a test for each fault. */
export const faultsAsJunit = ({ verdict, answer, rows }: FaultsConclusion): string =>
  documentOf([suite('faults', [verdictCase(verdict, answer), ...rows.map(faultCase)], [])]);
const faultCase = (row: FaultRow): Case => ({
  name: row.fault,
  outcome: OUTCOMES[row.verdict],
  text: faultDetails(row).join('; '),
});
