/** The last lines of a log that a person can read: V8's native frames, which hide the message above them, are left out. */
export function lastLines(log: string, count = 8): string {
  const lines = log.trimEnd().split('\n');
  return lines
    .filter((line) => !/^\s*\d+: 0x[0-9a-f]+/.test(line) && !/^-+ Native stack trace -+$/.test(line.trim()))
    .slice(-count)
    .join('\n')
    .trim();
}
