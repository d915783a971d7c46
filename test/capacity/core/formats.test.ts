import {
  formatAboutSeconds,
  formatNumber,
  toMebibytes,
  formatSeconds,
  formatPercent,
} from '../../../capacity/src/core/formats.js';

test.each([
  [0, '0'],
  [20, '20'],
  [0.123456, '0.123'],
  [1234.5, '1230'],
  [100_000, '100000'],
])('%d has three significant digits: %s', (value, text) => expect(formatNumber(value)).toBe(text));

test.each([
  [0, '0 %'],
  [0.001, '0.1 %'],
  [0.98765, '98.8 %'],
  [1, '100 %'],
])('the fraction %d is %s', (fraction, text) => expect(formatPercent(fraction)).toBe(text));

test.each([
  [0, '0 ms'],
  [0.3404, '340 ms'],
  [1, '1.00 s'],
  [2.104, '2.10 s'],
  [21, '21.0 s'],
])('%d seconds are %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

test.each([
  [2 ** 20, 1],
  [1.6 * 2 ** 20, 2],
])('%d bytes are %d MiB', (bytes, mib) => expect(toMebibytes(bytes)).toBe(mib));

test.each([
  [5, 'about 1 min'],
  [300, 'about 5 min'],
  [5400, 'about 1.5 h'],
])('formatAboutSeconds formats %d s', (seconds, text) => expect(formatAboutSeconds(seconds)).toBe(text));
