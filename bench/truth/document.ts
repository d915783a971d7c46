import { formatPercent } from '../../capacity/src/core/formats.js';
import { QUICK_PRECISION } from '../../capacity/src/plan/rates.js';
import type { Answers } from './assess.js';

/** The page with its table rendered from the answers. */
export function withTruth(page: string, answers: Answers[]): string {
  const rows = answers.map(({ what, falsePass, falseFail, within, seconds, quick, quickRatio, quickSeconds, met }) =>
    [
      what,
      formatPercent(falsePass),
      falseFail === undefined ? '' : formatPercent(falseFail),
      formatPercent(within),
      `${Math.round(seconds)} s`,
      formatPercent(quick),
      quickRatio === undefined ? '' : quickRatio.toFixed(2),
      `${Math.round(quickSeconds)} s`,
      met ? 'yes' : '**no**',
    ].join(' | '),
  );
  const head = [
    ...['simulated n8n', 'wrong PASS', 'wrong FAIL', 'right capacity', 'search takes'],
    ...[`right interval at ${formatPercent(QUICK_PRECISION)}`, 'found ÷ true capacity', 'search takes', 'good enough'],
  ];
  const lines = [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((line) => `| ${line} |`);
  return page.replace(/(<!-- truth -->)[^]*(<!-- \/truth -->)/, `$1\n\n${lines.join('\n')}\n\n$2`);
}
