import { readNumber } from '../shared/parameters';
import { ceilings } from './ceilings/ceiling';

/** Reads the parameter `milliseconds`: a time of work, up to the ceiling of an execution. */
export function readMilliseconds(parameter: (name: string) => unknown): number {
  const max = ceilings.seconds.value * 1000;
  return readNumber('Milliseconds', parameter('milliseconds'), {
    min: 0,
    max,
    unit: 'ms',
    because: ceilings.seconds.text,
  });
}

/**
 * Reads the parameter `kilobytes`: a size in kB of 1024 bytes, from 1.
 * @param maxMegabytes upper bound in MB
 * @param because      reason of the upper bound, for the error
 */
export function readKilobytes(parameter: (name: string) => unknown, maxMegabytes: number, because: string): number {
  const range = { min: 1, max: Math.floor(maxMegabytes * 1024), integer: true, unit: 'kB', because };
  return readNumber('Kilobytes', parameter('kilobytes'), range);
}

/** Reads the parameter `seed`: the 32-bit start of pseudo-random content. */
export function readSeed(parameter: (name: string) => unknown): number {
  return readNumber('Seed', parameter('seed'), { min: 0, max: 2 ** 32 - 1, integer: true });
}
