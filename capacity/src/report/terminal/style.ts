import type { Verdict } from '../../model/verdict.js';
import pc from 'picocolors';

/** Of a verdict, on a terminal. */
export const COLOURS: Record<Verdict, (text: string) => string> = {
  PASS: pc.green,
  FAIL: pc.red,
  INCONCLUSIVE: pc.yellow,
};

/** A table as people read it in a terminal: columns, no lines. */
export const BORDERLESS = {
  ...{
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
  },
  ...{ left: '  ', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};
