/** A number with three significant digits. */
export const format = (value: number): string => String(Number(value.toPrecision(3)));

/** A fraction as a percentage with three significant digits. */
export const percent = (fraction: number): string => `${format(fraction * 100)} %`;

/** Seconds as `340 ms`, `2.10 s` or `21.0 s`. */
export const milliseconds = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;

/** Bytes in whole MiB. */
export const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
