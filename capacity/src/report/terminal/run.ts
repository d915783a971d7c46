import pc from 'picocolors';
import { exposureText } from '../../chart/exposure-text.js';
import { formatHours, formatOverhead, formatRate } from '../../core/formats.js';
import { telling } from '../../judge/conclusion.js';
import { overloadClause } from '../../judge/overload.js';
import { verdictOfDrift } from '../../judge/profiles/soak.js';
import { answeredRate } from '../../judge/sustained.js';
import type { BurstReport, Drift, Overload, PayloadLimit, SoakReport } from '../../model/reports.js';
import type { PhaseRecord, StepRecord } from '../../model/step.js';
import type { LoadAnswer, LoadVerdict, RunConclusion, StepVerdict } from '../../model/verdict.js';
import { heldFor } from '../../recommend/held.js';
import { burstFacts, DRIFT_COLUMNS, PAYLOAD_COLUMNS, PHASE, STEP, type Column } from '../columns.js';
import { stepWord } from '../words.js';
import { COLOURS, labelledLine, textTable, verdictLine } from './table.js';

/** One line for a step that has just ended. */
export function stepLine(step: StepRecord, judged: StepVerdict): string {
  // While a search goes up, its steps need not prove anything.
  const [reason] = telling(judged.reasons);
  const why = reason ? `: ${reason.text}` : '';
  const p95 = step.summary.latency ? ` p95 ${formatOverhead(step.summary.latency.p95)}` : '';
  return `  ${COLOURS[judged.verdict](stepWord({ step, judged }))}${p95}${forecastClause(step)}${why}`;
}

/** One line for a closed-loop probe of a search: its throughput, without a verdict. */
export const probeLine = (step: StepRecord): string => {
  const { latency } = step.summary;
  return `  they get ${formatRate(Number(answeredRate(step).toPrecision(3)))} through${latency ? `, p95 ${formatOverhead(latency.p95)}` : ''}`;
};

/** The forecast of this step from the steps before. */
function forecastClause({ forecast }: StepRecord): string {
  if (!forecast) return '';
  return forecast.p95 === undefined ? ' (forecast: too much)' : ` (forecast: p95 ${formatOverhead(forecast.p95)})`;
}

/** One line for an overload that has just ended. */
export const overloadLine = (overload: Overload, held: number): string => `  ${overloadClause(overload, held)}`;

/** One line for each load with details, then the tables and the path of the full report. */
export function formatConclusion(conclusion: RunConclusion): string {
  const { n8n, exposure, verdict, answers, confidence, report, folder, values } = conclusion;
  const { soak, payloadLimits } = verdict;
  const blocks = payloadLimits
    ? [payloadBlock(payloadLimits)]
    : verdict.loads.map((load) => loadBlock(load, verdict.burst));
  if (soak) blocks.push(`${pc.bold('Drift')}\n${driftTable(soak)}\n`);
  const lines = [
    ...(n8n.why === undefined ? [] : [labelledLine('n8n:', n8n.why)]),
    ...(payloadLimits ? payloadLimits.map(payloadLine) : answers.flatMap(answerLines)),
    ...(soak ? [driftLine(soak)] : []),
    labelledLine('', `${confidence.word}: ${confidence.text}`),
    ...(exposure ? [labelledLine('', exposureText(exposure))] : []),
  ];
  const files = [
    ...(values ? [labelledLine('Values:', `${values} (held for ${heldFor(verdict)}, not confirmed)`)] : []),
    labelledLine('Report:', report ?? folder),
  ];
  return `\n${lines.join('\n')}\n\n${blocks.join('\n')}\n${files.join('\n')}\n`;
}

const loadBlock = (load: LoadVerdict, burst: BurstReport | undefined): string =>
  `${pc.bold(load.load)}\n${burst ? burstTable(burst) : stepTable(load)}\n`;

const answerLines = ({ load, verdict, headline, details }: LoadAnswer): string[] => [
  verdictLine(verdict, verdict === 'CAPACITY' ? `${load} ${headline}` : `${load}: ${headline}`),
  ...details.map((detail) => labelledLine('', detail)),
];

/** The table of steps of one load. */
function stepTable({ steps }: LoadVerdict): string {
  const verdict = {
    ...STEP.verdict,
    cell: (s: (typeof steps)[number]) => COLOURS[s.judged.verdict](STEP.verdict.cell(s)),
  };
  return textTable([STEP.arrivals, STEP.answered, STEP.executions, STEP.failed, ...STEP.latency, verdict], steps);
}

/** Characters after which kinds of failures wrap, so that the table fits into 120. */
const FAILURES_WIDTH = 30;

/** The phases of a burst, then its results. */
export function burstTable(report: BurstReport): string {
  const facts = burstFacts(report);
  const width = Math.max(...facts.map(([name]) => name.length));
  const { name, offered, seconds, answered, failed, latency, failures } = PHASE;
  const columns = [name, offered, seconds, answered, failed, ...latency, { ...failures, width: FAILURES_WIDTH }];
  const lines = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  return [textTable<PhaseRecord>(columns, report.phases), '', ...lines].join('\n');
}

const DRIFT_WORDS: Record<Drift['verdict'], string> = {
  stable: 'stable',
  drifts: 'drifts',
  unproven: 'unproven',
  'too-short': 'too short',
};

/** A row for each quantity, then those that could not be read. */
function driftTable({ drifts, unknown }: SoakReport): string {
  const verdict: Column<Drift> = {
    head: 'Verdict',
    isText: true,
    cell: (drift) => COLOURS[verdictOfDrift(drift.verdict)](DRIFT_WORDS[drift.verdict]),
  };
  return [
    textTable([...DRIFT_COLUMNS, verdict], drifts),
    ...unknown.map((what) => `  ${pc.yellow('unknown')}  ${what}`),
  ].join('\n');
}

/** A line for the drift: its verdict and reason. */
function driftLine({ verdict, drifts, horizonSeconds }: SoakReport): string {
  const texts = drifts.filter((d) => d.verdict === verdict).map((d) => d.text);
  const reason = {
    stable: `nothing reaches its limit within ${formatHours(horizonSeconds / 3600)} (${drifts.length} quantities)`,
    drifts: texts.join('; '),
    unproven: texts.join('; '),
    'too-short': texts[0] ?? 'nothing was measured; lengthen the soak',
  }[verdict];
  return verdictLine(verdictOfDrift(verdict), `drift: ${reason}`);
}

const payloadBlock = (limits: PayloadLimit[]): string =>
  `${pc.bold('memory-hog: largest payload')}\n${textTable(PAYLOAD_COLUMNS, limits)}\n`;

const payloadLine = ({ clients, verdict, text }: PayloadLimit): string =>
  verdictLine(verdict, `${clients} ${clients === 1 ? 'client' : 'clients'}: ${text}`);
