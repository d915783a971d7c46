/** A number with three significant digits. */
export const formatNumber = (value: number): string => String(Number(value.toPrecision(3)));

/** A rate: `13.3/s`. */
export const formatRate = (rate: number): string => `${formatNumber(rate)}/s`;

/** A fraction as a percentage with three significant digits. */
export const formatPercent = (fraction: number): string => `${formatNumber(fraction * 100)} %`;

/** Seconds as `340 ms`, `2.10 s` or `21.0 s`. */
export const formatSeconds = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;

/** Latency above the service time, in seconds: `+340 ms`. */
export const formatOverhead = (seconds: number): string => `+${formatSeconds(seconds)}`;

/** Milliseconds since a run began, as `m:ss`. */
export const formatClock = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms / 1000) % 60)).padStart(2, '0')}`;

/** An ISO date as `2026-11-20 10:15 UTC`; any other text is returned unchanged. */
export function formatDateTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d+Z$/, ' UTC');
}

/** Bytes in whole MiB. */
export const toMebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** A size in MiB: `1536 MiB`. */
export const formatMib = (value: number): string => `${Math.round(value)} MiB`;

/** Hours as `40 min`, `5.5 h` or `2.3 d`. */
export function formatHours(hours: number): string {
  if (hours < 1) return `${Math.round(hours * 60)} min`;
  return hours < 48 ? `${formatNumber(hours)} h` : `${formatNumber(hours / 24)} d`;
}

/** Seconds as an approximate duration of at least a minute: `about 40 min`. */
export const formatAboutSeconds = (seconds: number): string => `about ${formatHours(Math.max(60, seconds) / 3600)}`;

/** A factor as a relative change: `+34 %`, `−5.2 %`, `0 %`. */
export const formatChange = (factor: number): string => `${formatSignedPercent(factor)} %`;

/** A factor and its interval as relative changes: `+34 % (+28 to +41)`. */
export const formatChangeInterval = ({ ratio, least, most }: { ratio: number; least: number; most: number }): string =>
  `${formatChange(ratio)} (${formatSignedPercent(least)} to ${formatSignedPercent(most)})`;

function formatSignedPercent(factor: number): string {
  const points = Math.abs(factor - 1) * 100;
  const rounded = points < 10 ? Math.round(points * 10) / 10 : Math.round(points);
  if (rounded === 0) return '0';
  return `${factor > 1 ? '+' : '−'}${rounded}`;
}

/** Words as a sentence. */
export const sentence = (words: string): string => `${capitalized(words)}.`;

/** Words with a capital letter; the name of n8n stays small. */
export const capitalized = (words: string): string =>
  words.startsWith('n8n') ? words : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
