import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import { TERMS } from '../../capacity/src/report/html/terms.js';

const glossary = readFileSync(join(repositoryFolder, 'docs', 'glossary.md'), 'utf8').toLowerCase();

/** Headings of the glossary by word of the report, for words that are not a heading themselves. */
const HEADINGS: Record<string, string> = {
  Arrivals: 'Arrival rate',
  Verdict: 'Sustained',
  'Offered/s': 'Offered, answered, completed',
  'Answered/s': 'Offered, answered, completed',
  'Completed/s': 'Offered, answered, completed',
  Executions: 'Offered, answered, completed',
  p50: 'Percentile',
  p95: 'Percentile',
  p99: 'Percentile',
  'Not sustained at': 'Capacity',
  'Saturated at': 'Saturation',
  'highest sustained arrival rate': 'Capacity',
  Provisional: 'Provisional and confirmed',
  Confirmed: 'Provisional and confirmed',
  Failed: 'Objective',
  'Forecast p95': 'Forecast',
};

test.each(Object.keys(TERMS))('the glossary explains the term of the report: %s', (word) => {
  expect(glossary).toContain(`\n## ${(HEADINGS[word] ?? word).toLowerCase()}\n`);
});
