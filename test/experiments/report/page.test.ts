import { judgeClaims } from '../../../experiments/src/judge/claims.js';
import { overviewPage } from '../../../experiments/src/report/overview.js';
import { publishedExperiments, renderedPages } from '../../../experiments/src/report/publish.js';
import { EXPERIMENTS } from '../recorded.js';

const pages = await renderedPages();
const published = await publishedExperiments();
const page = (name: string) => pages.get(`${name}.md`)!;

test.each(EXPERIMENTS)(
  'the page of %s begins with answer, advice, certainty and one plot; its tables are folded',
  (name) => {
    const paragraphs = page(name).split('\n\n');
    expect(paragraphs.slice(1, 5).map((text) => text.replace(/^(\*\*[^*]*\*\*|!).*$/s, '$1'))).toEqual([
      '**Answer:**',
      '**What to do:**',
      '**How sure:**',
      '!',
    ]);
    const open = page(name).replace(/<details>.*?<\/details>/gs, '');
    expect(open).not.toMatch(/^\|/m);
    expect(open.match(/!\[/g)).toHaveLength(1);
  },
);

test.each([
  ['right-size', ['34 of 181', '18.8 %', 'One worker with a limit of 200m does not hold 6 requests/s.']],
  ['execution-process', ['accepted executions had not run when the drain was over']],
  [
    'memory-over-time',
    ['With version 1 of the Webhook node, the requests of 400', '2677 MiB', 'version 1 of the Webhook'],
  ],
  ['queue-mode', ['neither contention nor a number of workers above which capacity falls']],
])('the page of %s contains the figures of its record', (name, texts) => {
  for (const text of texts) expect(page(name)).toContain(text);
});

test.each([
  ['right-size', ['23.6 s', '27.4 s', '5.23 s', 'Recommended']],
  ['queue-mode', ['4.16']],
  ['load-balancing', ['14862', '15171']],
  ['process-scaling', ['15679', '0.952 ×']],
  ['memory-over-time', ['16.1 |', '16.2 |']],
])('the page of %s contains no figure that its record does not prove', (name, texts) => {
  for (const text of texts) expect(page(name)).not.toContain(text);
});

test('a page answers only with claims that hold, and the overview shows the verdicts of the others', () => {
  for (const { experiment, record } of published)
    for (const { claim, verdict } of judgeClaims(experiment.claims, record!.cells)) {
      const opening = claim.answer?.split('{')[0];
      if (opening && opening.length > 20)
        expect([opening, page(experiment.name).includes(opening)]).toEqual([opening, verdict === 'holds']);
    }
  expect(overviewPage(published)).toContain('**INCONCLUSIVE** |');
  const unmeasured = published.map(({ record, ...rest }) => ({
    ...rest,
    record: record && { ...record, cells: record.cells.filter(({ part }) => part !== 'kubernetes') },
  }));
  expect(overviewPage(published)).not.toContain('| not measured yet |');
  expect(overviewPage(unmeasured)).toContain('| not measured yet |');
});
