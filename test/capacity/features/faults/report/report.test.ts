import { judgeFaults } from '../../../../../capacity/src/features/faults/judge/judge.js';
import type { FaultsConclusion, FaultsRecord } from '../../../../../capacity/src/features/faults/record.js';
import { faultsAsJunit } from '../../../../../capacity/src/features/faults/report/junit.js';
import { faultsAsMarkdown } from '../../../../../capacity/src/features/faults/report/markdown.js';
import { formatFaults } from '../../../../../capacity/src/features/faults/report/terminal.js';
import { SOUND, trialOf } from '../judge/trial.js';

const RECORD = { workSeconds: 5, faults: ['worker-kill', 'main-kill', 'disk-full'] } as FaultsRecord;
const CONCLUSION: FaultsConclusion = {
  ...judgeFaults(RECORD, [
    trialOf(SOUND),
    trialOf([...SOUND, { id: 'lost<1>', sent: -1 }, { id: 'open', sent: -1, listed: 'new' }], { fault: 'main-kill' }),
    trialOf([], { fault: 'disk-full', skipped: 'not tried: a small disk needs root' }),
  ]),
  rate: 2.8,
  workSeconds: 5,
  folder: 'results/faults',
};

const lineWith = (text: string, line: string) => text.split('\n').find((each) => each.includes(line))!;
const cells = (line: string) => line.split('|').map((cell) => cell.trim());

test('Markdown has a row for each fault, with every count', () => {
  const markdown = faultsAsMarkdown(CONCLUSION);
  const head = cells(lineWith(markdown, '| Fault'));
  const row = cells(lineWith(markdown, '| main-kill'));
  const counts = Object.fromEntries(head.map((name, i) => [name, row[i]]));
  expect(counts).toMatchObject({ Accepted: '7', Done: '5', Stuck: '1', Vanished: '1', Twice: '0', Verdict: 'FAIL' });
  expect(lineWith(markdown, '| disk-full')).toMatch(/INCONCLUSIVE/);
  expect(markdown).toContain('lost\\<1\\>');
});

test('JUnit has a test for each fault: passed, failed, or an error where it says nothing', () => {
  const junit = faultsAsJunit(CONCLUSION);
  expect(junit).toContain('<testsuite name="faults" tests="4" failures="2" errors="1" skipped="0"');
  expect(junit).toContain('lost&lt;1&gt;');
});

test('the terminal names each loss by its id, and what to change', () => {
  const text = formatFaults(CONCLUSION);
  expect(text).toContain('vanished: lost<1>');
  expect(text).toContain('stuck: open');
  expect(text).toContain(CONCLUSION.rows[1]!.change.replace(/\.$/, ''));
  expect(text).toContain('a small disk needs root');
});
