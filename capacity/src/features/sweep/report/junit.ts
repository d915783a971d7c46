import { renderJunit, makeSuite, verdictCase, type JunitCase } from '../../../report/junit.js';
import { describeConfiguration } from '../plan/configurations.js';
import type { SweepConclusion, SweepRow } from '../record.js';

/**
 * A sweep as JUnit XML: its verdict, and a test for each configuration. A configuration that does not hold is skipped, not
 * failed, because the sweep can pass without it.
 */
export function sweepAsJunit({
  name,
  verdict,
  answer,
  rows,
}: Pick<SweepConclusion, 'name' | 'verdict' | 'answer' | 'rows'>): string {
  return renderJunit([makeSuite(name, [verdictCase(verdict, answer), ...rows.map(configurationCase)], [])]);
}
const configurationCase = (row: SweepRow): JunitCase => {
  const holds = row.capacity !== undefined && (row.status === 'meets' || row.status === 'measured');
  return {
    name: describeConfiguration(row),
    outcome: holds ? 'passed' : 'skipped',
    text: `${row.status}: ${row.text}`,
  };
};
