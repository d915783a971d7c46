import { STEPS } from './steps.js';

/** Executions per second that n8n's documentation states. */
const CLAIM = 220;

/** `bench/results/gap.json`. */
export interface GapRecord {
  /** CPU cores of the machine. */
  cpus: number;
  cpuModel: string;
  versions: { n8n: string; k6: string };
  /** Executions per second by name of the step; null if the verdict has no figure. */
  rates: Record<string, number | null>;
}

/** The page with its table rendered from the record. */
export function withGap(page: string, record: GapRecord | undefined): string {
  return page.replace(/(<!-- gap -->)[^]*(<!-- \/gap -->)/, `$1\n\n${record ? gapTable(record) : NOT_MEASURED}\n\n$2`);
}

const NOT_MEASURED = 'Not measured yet: `npm run bench:gap` writes the table.';

function gapTable({ cpus, cpuModel, versions, rates }: GapRecord): string {
  let before: number | null = CLAIM;
  const rows = STEPS.map(({ name, what, why }) => {
    const rate = rates[name] ?? null;
    const share = rate !== null && before ? `× ${(rate / before).toFixed(2)}` : '';
    before = rate;
    return [what, rate === null ? 'no figure' : `${Number(rate.toPrecision(2))}/s`, share, why];
  });
  const head = ['change', 'executions', 'of the step before', 'why'];
  const claim = ["n8n's documentation", `${CLAIM}/s`, '', 'the best case, answers within 100 s'];
  const lines = [head, head.map(() => '---'), claim, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `n8n ${versions.n8n} with k6 ${versions.k6} on ${cpus} cores (${cpuModel}), which n8n, PostgreSQL and k6 share.\n\n${lines.join('\n')}`;
}
