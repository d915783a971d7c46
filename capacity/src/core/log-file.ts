import { open } from 'node:fs/promises';

/** The last 4 KiB of a log; empty if it cannot be opened. */
export async function readLogTail(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, 4096);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}

/** The last lines of a log without V8's native frames, which push the message out of sight. */
export function lastLines(log: string, count = 8): string {
  const lines = log.trimEnd().split('\n');
  return lines
    .filter((line) => !/^\s*\d+: 0x[0-9a-f]+/.test(line) && !/^-+ Native stack trace -+$/.test(line.trim()))
    .slice(-count)
    .join('\n')
    .trim();
}

/** The last lines and the path of a log, for an error message. */
export const readLogExcerpt = async (file: string): Promise<string> =>
  `The last lines of its log:\n${lastLines(await readLogTail(file))}\nThe whole log: ${file}`;
