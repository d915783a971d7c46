import { readNumber } from '../shared/parameters';
import { ceilings } from './ceilings/ceiling';

/** The parameter `milliseconds`: a time to work, up to what one execution may. */
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
 * The parameter `kilobytes`: a size in kB of 1024 bytes, from 1.
 * @param maxMegabytes the most it may be, in MB
 * @param because      why no more
 */
export function readKilobytes(parameter: (name: string) => unknown, maxMegabytes: number, because: string): number {
  const range = { min: 1, max: Math.floor(maxMegabytes * 1024), integer: true, unit: 'kB', because };
  return readNumber('Kilobytes', parameter('kilobytes'), range);
}

/** The parameter `seed`: what pseudo-random content starts from, 32 bits. */
export function readSeed(parameter: (name: string) => unknown): number {
  return readNumber('Seed', parameter('seed'), { min: 0, max: 2 ** 32 - 1, integer: true });
}
