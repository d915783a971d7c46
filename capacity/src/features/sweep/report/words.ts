import type { Verdict } from '../../../model/verdict.js';
import type { SweepRow } from '../record.js';

/** The status of a configuration. */
export const STATUS_WORDS: Record<SweepRow['status'], string> = {
  meets: 'meets',
  misses: 'misses',
  measured: 'measured',
  dominated: 'dominated',
  inconclusive: 'inconclusive',
  'ruled-out': 'ruled out',
  excluded: 'excluded',
  open: 'open',
};

/** The verdict of a status; undefined for a configuration that was not judged. */
export const verdictOfStatus = (status: SweepRow['status']): Verdict | undefined =>
  (({ meets: 'PASS', misses: 'FAIL', inconclusive: 'INCONCLUSIVE' }) as const)[status as 'meets'];
