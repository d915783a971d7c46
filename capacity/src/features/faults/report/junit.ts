import { renderJunit, makeSuite, verdictCase, OUTCOMES, type JunitCase } from '../../../report/junit.js';
import type { FaultRow, FaultsConclusion } from '../record.js';
import { faultDetails } from './facts.js';

/** A run of `faults` as JUnit XML: its verdict, and a test for each fault. */
export const faultsAsJunit = ({ verdict, answer, rows }: FaultsConclusion): string =>
  renderJunit([makeSuite('faults', [verdictCase(verdict, answer), ...rows.map(faultCase)], [])]);
const faultCase = (row: FaultRow): JunitCase => ({
  name: row.fault,
  outcome: OUTCOMES[row.verdict],
  text: faultDetails(row).join('; '),
});
