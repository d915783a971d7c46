import { execa } from 'execa';

/** Which cores k6 has, and which everything else, as `taskset -c` takes them. */
export interface Cores {
  k6: string;
  others: string;
}

/** With fewer, what is measured would be left with one. */
const ENOUGH = 4;

/** A quarter of the cores for k6, the first ones; undefined where there are too few to share them out. */
export function coresFor(count: number): Cores | undefined {
  if (count < ENOUGH) return undefined;
  const own = Math.max(1, Math.floor(count / 4));
  return { k6: range(0, own - 1), others: range(own, count - 1) };
}

const range = (from: number, to: number) => (from === to ? String(from) : `${from}-${to}`);

/** Keeps this process, and all that it starts from now on, off the cores of k6. */
export async function leaveToK6({ others }: Cores): Promise<void> {
  await execa('taskset', ['-acp', others, String(process.pid)], { stdin: 'ignore' });
}

/** For the record. */
export const sharingOf = (count: number, cores: Cores | undefined): string =>
  cores
    ? `k6 had the cores ${cores.k6} of ${count}, everything else the cores ${cores.others}.`
    : `k6 and all that it drove shared ${count} ${count === 1 ? 'core' : 'cores'}: what k6 used, n8n did not get.`;
