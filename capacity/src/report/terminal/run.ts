import { format, milliseconds, percent } from '../../core/formats.js';
import type { StepRecord } from '../../model/step.js';
import type { RunConclusion, LoadVerdict, StepVerdict, Verdict } from '../../model/verdict.js';
import Table from 'cli-table3';
import pc from 'picocolors';
import { burstTable } from './burst.js';
import { driftLine, driftTable } from './drift.js';
import { printPayloadLimits } from './payload-limit.js';
import { BORDERLESS, COLOURS } from './style.js';

export { BORDERLESS, COLOURS };

const WORDS: Record<Verdict, string> = { PASS: 'sustained', FAIL: 'broken', INCONCLUSIVE: 'inconclusive' };

/** One line for a step that has just ended. */
export function stepLine(step: StepRecord, judged: StepVerdict): string {
  const why = judged.reasons[0] ? `: ${judged.reasons[0].text}` : '';
  const p95 = step.summary.latency ? ` p95 +${milliseconds(step.summary.latency.p95)}` : '';
  return `  ${COLOURS[judged.verdict](WORDS[judged.verdict])}${p95}${why}`;
}

/** The table of steps of one load. */
export function stepTable(load: LoadVerdict): string {
  const table = new Table({
    head: ['offered/s', 'answered/s', 'completed', 'failed', 'p50', 'p95', 'p99', 'verdict'],
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: ['right', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
  });
  for (const { step, judged } of load.steps) {
    const seconds = (step.measuredTo - step.measuredFrom) / 1000;
    const { summary, executions } = step;
    const latency = (key: 'p50' | 'p95' | 'p99') => (summary.latency ? `+${milliseconds(summary.latency[key])}` : '-');
    table.push([
      step.rate === undefined ? `${step.clients} clients` : format(step.rate),
      format(summary.answered / seconds),
      executions ? `${executions.completed}/${executions.accepted}` : 'unknown',
      `${summary.failed} (≤ ${percent(judged.errorRateUpperBound)})`,
      latency('p50'),
      latency('p95'),
      latency('p99'),
      COLOURS[judged.verdict](WORDS[judged.verdict]),
    ]);
  }
  return table.toString();
}

/** Table first, then one line of conclusion a load, what to do next, and the path of the full report. */
export function printConclusion(conclusion: RunConclusion): string {
  const { verdict, confidence, recommendation, report, folder, values } = conclusion;
  if (verdict.payloadLimits) return printPayloadLimits(conclusion);
  const { burst } = verdict;
  const blocks = verdict.loads.map(
    (load) => `${pc.bold(load.load)}\n${burst ? burstTable(burst) : stepTable(load)}\n\n  ${load.conclusion}\n`,
  );
  if (verdict.soak) blocks.push(`${pc.bold('drift')}\n${driftTable(verdict.soak)}\n`);
  const lines = [
    ...verdict.loads.map(
      (load) =>
        `${COLOURS[load.verdict](load.verdict.padEnd(12))} ${load.load}: ${load.capacity === undefined ? load.conclusion : `sustains ${format(load.capacity)}/s`}`,
    ),
    ...(verdict.soak ? [driftLine(verdict.soak)] : []),
    `             ${confidence.word}: ${confidence.text}`,
    ...(recommendation && !values ? [`             ${recommendation.text}`] : []),
    ...(values ? [`Values:      ${values}`] : []),
    `Report:      ${report ?? folder}`,
  ];
  return `\n${blocks.join('\n')}\n${lines.join('\n')}\n`;
}
