import { join } from 'node:path';
import { advisoriesBetween } from '../../chart/advisories.js';
import { confidence } from '../../judge/confidence.js';
import type { Side, UpgradeConclusion } from './record.js';
import { adviceOf } from '../../recommend/advice.js';
import { writeWhole } from '../../record/files.js';
import { renderUpgradeHtml } from './report/page.js';
import { UpgradeFolder } from './folder.js';
import { judgeUpgrade } from './judge.js';
import { FILES } from '../../record/names.js';

/**
 * Judges a recorded run of `upgrade`, complete or interrupted, and writes its verdict and its report. Reads only records.
 * @throws UsageError if the folder holds none
 */
export async function concludeUpgrade(path: string): Promise<UpgradeConclusion> {
  const folder = new UpgradeFolder(path);
  const [record, trials, survival] = [await folder.record(), await folder.trials(), await folder.survival()];
  const first = await folder.firstRun();
  const exposure = advisoriesBetween(record.from, record.to);
  const conclusion: UpgradeConclusion = {
    ...judgeUpgrade(record, trials, survival),
    from: record.from,
    to: record.to,
    environment: record.environment,
    ...(exposure && { exposure }),
    ...(record.substitutes && { substitutes: record.substitutes }),
    ...(survival && { survival }),
    replaced: await readReplaced(folder),
    ...(first && { confidence: confidence(first.run, first.steps), advice: adviceOf(first.run) }),
    folder: path,
    report: join(path, FILES.report),
  };
  await writeWhole(
    conclusion.report,
    await renderUpgradeHtml({ record, trials, conclusion, ...(first && { first: first.run }) }),
  );
  await writeWhole(join(path, FILES.verdict), `${JSON.stringify(conclusion, null, 2)}\n`);
  return conclusion;
}

/** What was replaced in each version that has run. */
async function readReplaced(folder: UpgradeFolder): Promise<NonNullable<UpgradeConclusion['replaced']>> {
  const of = async (side: Side) => (await folder.firstRun((trial) => trial.side === side))?.run.deployment.replaced;
  const [from, to] = [await of('from'), await of('to')];
  return { ...(from && { from }), ...(to && { to }) };
}
