import type { JudgedClaim } from '../judge/claims.js';
import type { ExperimentRecord } from '../record/schema.js';
import type { Experiment } from '../spec/schema.js';

/** The first three paragraphs of a page: answer, what to do, how sure. */
export function pageHead({ advice, doubt }: Experiment, judged: JudgedClaim[], record: ExperimentRecord): string[] {
  return [
    `**Answer:** ${answerText(judged)}`,
    `**What to do:** ${advice.trim()}`,
    `**How sure:** ${confidenceSentence(judged, record)} ${doubt.trim()}`,
  ];
}

/** The answers of the claims that hold, then the key claims that fail or are INCONCLUSIVE. */
function answerText(judged: JudgedClaim[]): string {
  const answers = judged.flatMap((j) =>
    j.verdict === 'holds' && j.claim.answer ? [fillPlaceholders(j.claim.answer, j)] : [],
  );
  const open = (verdict: JudgedClaim['verdict'], word: string, figure: (j: JudgedClaim) => string = () => '') =>
    judged.flatMap((j) => (j.claim.key && j.verdict === verdict ? [`${word}: “${j.claim.says}”${figure(j)}.`] : []));
  return [
    ...answers,
    ...open('fails', 'Does not hold', ({ measured }) => ` (${measured.split(' (')[0]})`),
    ...open('INCONCLUSIVE', 'INCONCLUSIVE'),
  ].join(' ');
}

const fillPlaceholders = (text: string, { measured, sides }: JudgedClaim): string =>
  text
    .replaceAll('{here}', measured.split(' (')[0]!)
    .replaceAll('{of}', sides?.of ?? '')
    .replaceAll('{over}', sides?.over ?? '');

function confidenceSentence(judged: JudgedClaim[], { cells }: ExperimentRecord): string {
  const count = (verdict: JudgedClaim['verdict']) => judged.filter((j) => j.verdict === verdict).length;
  const parts = [
    `${count('holds')} of ${judged.length} claims hold`,
    count('fails') > 0 && `${count('fails')} ${count('fails') === 1 ? 'does' : 'do'} not`,
    count('INCONCLUSIVE') > 0 && `${countWithVerb(count('INCONCLUSIVE'))} INCONCLUSIVE (${undecidedReasons(judged)})`,
    count('not measured') > 0 && `${countWithVerb(count('not measured'))} not measured yet`,
  ];
  const shared = cells.some(({ machine }) => machine.sharing.includes('shared'));
  const place = shared
    ? ' k6 and the deployment shared cores, so figures are provisional: trust ratios, not rates.'
    : '';
  return `${parts.filter(Boolean).join(', ')}.${place}`;
}

const countWithVerb = (n: number): string => `${n} ${n === 1 ? 'is' : 'are'}`;

/** The undecided claims with their reasons, grouped by reason. */
function undecidedReasons(judged: JudgedClaim[]): string {
  const open = judged.filter((j) => j.verdict === 'INCONCLUSIVE');
  const claims = (reason: string) => open.filter((j) => j.measured === reason).map((j) => `“${j.claim.says}”`);
  return [...new Set(open.map((j) => j.measured))]
    .map((reason) => `${claims(reason).join(', ')}: ${reason}`)
    .join('; ');
}
