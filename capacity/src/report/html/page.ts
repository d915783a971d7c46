import type { RunVerdict, Recommendation } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { burstSection } from './burst-section.js';
import { configurationSection } from './configuration.js';
import { htmlDocument } from './document.js';
import { driftSection } from './drift-section.js';
import { Figures } from './figure.js';
import { html } from './html.js';
import { loadSection } from './load-section.js';
import { processSection } from './process-section.js';
import { recommendationBlock, summary } from './summary.js';

/**
 * The report of a run: one HTML file that needs no network and no other file.
 * @param verdict what `judgeRun` says of the run's steps
 * @param recommendation what to do next; left out when there is nothing to say
 */
export async function renderHtml(
  run: RecordedRun,
  verdict: RunVerdict,
  recommendation?: Recommendation,
): Promise<string> {
  const { burst } = verdict;
  const figures = new Figures();
  const content = html`
    ${summary(run, verdict)} ${recommendation && recommendationBlock(recommendation)}
    ${verdict.soak && driftSection(verdict.soak)}
    ${burst ? burstSection(burst, run, figures) : verdict.loads.map((load) => loadSection(load, run, figures))}
    ${processSection(run, verdict, figures)} ${configurationSection(run)}
  `;
  return htmlDocument(`${verdict.verdict}: ${verdict.loads.map((l) => l.load).join(', ')}`, content, figures);
}
