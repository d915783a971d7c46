import { formatSeconds, formatPercent } from '../core/formats.js';
import { PERCENTILES, type Slo } from '../model/plan.js';
import { isGood, type JudgedStep, type LoadVerdict, type RunVerdict, type ReasonCode } from '../model/verdict.js';
import { arrivals, decidingStep } from './facts.js';
import { xml, type Xml } from './markup.js';

/** One test as CI shows it. */
export interface JunitCase {
  name: string;
  outcome: 'passed' | 'failure' | 'error' | 'skipped';
  text?: string;
}

/**
 * A run as JUnit XML: a suite for each load, with its verdict and each objective in the step that decided it. A step that broke
 * above the capacity does not count as a failure, because every search ends with one.
 */
export function runAsJunit({ loads }: RunVerdict, slo: Slo): string {
  return renderJunit(
    loads.map((load) =>
      makeSuite(load.load, [verdictCase(load.verdict, load.conclusion), ...objectiveCases(load, slo)], load.steps),
    ),
  );
}

export const OUTCOMES = { PASS: 'passed', CAPACITY: 'passed', FAIL: 'failure', INCONCLUSIVE: 'error' } as const;

export const verdictCase = (verdict: RunVerdict['verdict'], text: string): JunitCase => ({
  name: 'verdict',
  outcome: OUTCOMES[verdict],
  text,
});

function objectiveCases(load: LoadVerdict, slo: Slo): JunitCase[] {
  const step = explainingStep(load);
  if (!step) return [];
  return [
    ...PERCENTILES.flatMap((code) => {
      const objective = slo[code];
      if (objective === undefined) return [];
      return [objectiveCase(step, code, `${code} at most ${formatSeconds(objective)} above the service time`)];
    }),
    objectiveCase(step, 'errors', `errors at most ${formatPercent(slo.errors)}`),
    objectiveCase(step, 'completed', 'accepted executions completed'),
    ...(step.step.phases ? [objectiveCase(step, 'drain', 'backlog drained in time')] : []),
  ];
}

/** The step that explains the verdict. */
function explainingStep(load: LoadVerdict): JudgedStep | undefined {
  if (isGood(load.verdict)) return decidingStep(load);
  return load.steps.findLast((s) => s.judged.verdict === load.verdict) ?? load.steps.at(-1);
}

/** Skipped in an INCONCLUSIVE step: the generator may have broken the objective. */
function objectiveCase({ step, judged }: JudgedStep, code: ReasonCode, name: string): JunitCase {
  if (judged.verdict === 'INCONCLUSIVE')
    return { name, outcome: 'skipped', text: `the step at ${arrivals(step)} is inconclusive` };
  const reason = judged.reasons.find((r) => r.code === code);
  return reason
    ? { name, outcome: 'failure', text: `at ${arrivals(step)}: ${reason.text}` }
    : { name, outcome: 'passed' };
}

interface JunitSuite {
  markup: Xml;
  counts: Record<'tests' | 'failures' | 'errors' | 'skipped', number>;
}

export function makeSuite(name: string, cases: JunitCase[], steps: JudgedStep[]): JunitSuite {
  const count = (outcome: JunitCase['outcome']) => cases.filter((c) => c.outcome === outcome).length;
  const counts = { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
  const [first, last] = [steps[0]?.step, steps.at(-1)?.step];
  const seconds = first && last ? (last.endedAt - first.measuredFrom) / 1000 : 0;
  const started = first && xml` timestamp="${new Date(first.measuredFrom).toISOString().slice(0, 19)}"`;
  return {
    counts,
    markup: xml`
  <testsuite name="${name}"${attributes(counts)} time="${seconds.toFixed(1)}"${started}>${cases.map((c) => renderCase(name, c))}
  </testsuite>`,
  };
}

/** The text of a passed test goes to `system-out`: the schema has no message for it. */
function renderCase(suiteName: string, { name, outcome, text }: JunitCase): Xml {
  const start = xml`
    <testcase classname="n8n-capacity.${suiteName}" name="${name}" time="0"`;
  if (text === undefined) return xml`${start}/>`;
  const inner = {
    passed: xml`<system-out>${text}</system-out>`,
    failure: xml`<failure message="${text}" type="FAIL">${text}</failure>`,
    error: xml`<error message="${text}" type="INCONCLUSIVE">${text}</error>`,
    skipped: xml`<skipped message="${text}"/>`,
  }[outcome];
  return xml`${start}>${inner}</testcase>`;
}

export function renderJunit(suites: JunitSuite[]): string {
  const sum = (key: keyof JunitSuite['counts']) => suites.reduce((total, s) => total + s.counts[key], 0);
  const counts = { tests: sum('tests'), failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped') };
  const body = xml`<testsuites name="n8n-capacity"${attributes(counts)}>${suites.map((s) => s.markup)}
</testsuites>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body.text}\n`;
}

const attributes = ({ tests, failures, errors, skipped }: JunitSuite['counts']): Xml =>
  xml` tests="${tests}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
