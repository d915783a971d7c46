import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeBadge } from 'badge-maker';
import { formatPercent } from '../../capacity/src/core/formats.js';
import { judgeFaults } from '../../capacity/src/features/faults/judge/judge.js';
import { readFaults } from '../faults/document.js';
import type { Answers } from '../truth/assess.js';

const [GOOD, BAD, PLAIN] = ['#1a7f37', '#b42318', '#0366a8'];

/**
 * The badges of the README as SVG, by name. Their figures come from the records of the repository.
 * @param root root of the repository
 */
export const badges = (root: string): Record<string, string> => ({
  n8n: badge('n8n', readN8nVersions(root).join(' | '), PLAIN),
  'wrong-pass': wrongPassBadge(root),
  faults: faultsBadge(root),
  licence: badge('licence', readJson<{ license: string }>(root, 'package.json').license, PLAIN),
});

/** The versions of n8n that are installed and tested, the newest first. */
const readN8nVersions = (root: string): string[] =>
  [2, 1, 0].map(
    (major) => readJson<{ dependencies: { n8n: string } }>(root, `runtimes/n8n-${major}/package.json`).dependencies.n8n,
  );

/** Badge with the share of wrong PASS verdicts, for the simulated deployment with the most (docs/reading-a-result.md). */
function wrongPassBadge(root: string): string {
  const { answers, criteria } = readJson<{ answers: Answers[]; criteria: { falsePass: number; runs: number } }>(
    root,
    'bench/results/truth.json',
  );
  const most = Math.max(...answers.map(({ falsePass }) => falsePass));
  const text = `at most ${formatPercent(most)} in ${answers.length} × ${criteria.runs} simulated runs`;
  return badge('wrong PASS', text, most <= criteria.falsePass ? GOOD : BAD);
}

/** Badge with the number of faults that the queue profile passes on local processes (docs/faults.md). */
function faultsBadge(root: string): string {
  const { record, trials } = readFaults(join(root, 'bench/results/faults/queue.json.gz'));
  const { rows } = judgeFaults(record, trials);
  const passed = rows.filter(({ verdict }) => verdict === 'PASS').length;
  return badge('faults, queue profile', `${passed} of ${rows.length} PASS`, passed === rows.length ? GOOD : BAD);
}

const badge = (label: string, message: string, color: string): string => makeBadge({ label, message, color });

const readJson = <T>(root: string, path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
