import type { Recommendation, RunVerdict } from '../../model/verdict.js';
import { answerLoads } from '../../recommend/answer.js';
import type { RecordedRun } from '../../record/recorder.js';
import { html, type Html } from '../markup.js';
import { burstSection } from './burst-section.js';
import { configurationSection } from './configuration.js';
import { Figures, renderHtmlDocument } from './document.js';
import { driftSection, loadSection } from './load-section.js';
import { payloadSection } from './payload-section.js';
import { processSection } from './process-section.js';
import { profileSection } from './profile-section.js';
import { recommendationBlock, RUNNING, summary } from './summary.js';

/**
 * The report of a run: one HTML file that needs no network and no other file.
 * @param verdict as `judgeRun` gives it for the run
 * @param recommendation what to do next; undefined if there is no advice
 * @param live the run goes on: the page is served, and loads itself again
 */
export async function renderHtml(
  run: RecordedRun,
  verdict: RunVerdict,
  recommendation?: Recommendation,
  live = false,
): Promise<string> {
  const figures = new Figures();
  const content = html`
    ${summary(run, verdict, answerLoads(run, verdict), figures, live)}
    ${recommendation && recommendationBlock(recommendation)} ${verdict.soak && driftSection(verdict.soak, live)}
    ${loadSections(run, verdict, figures, live)}
    ${(run.profiles ?? []).map((profile) => profileSection(profile, figures))} ${processSection(run, verdict, figures)}
    ${configurationSection(run)}
  `;
  return renderHtmlDocument(
    `${live ? RUNNING : verdict.verdict}: ${verdict.loads.map((l) => l.load).join(', ')}`,
    content,
    figures,
    live,
  );
}

function loadSections(
  run: RecordedRun,
  { loads, burst, payloadLimits }: RunVerdict,
  figures: Figures,
  live: boolean,
): Html[] {
  if (burst) return [burstSection(burst, run, figures)];
  if (payloadLimits) return [payloadSection(payloadLimits, figures, live)];
  return loads.map((load) => loadSection(load, run, figures, live));
}
