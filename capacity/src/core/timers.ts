/** Seconds of the longest timer: Node fires a timer of more than 2 ** 31 - 1 ms immediately. */
export const LONGEST_TIMER_SECONDS = 2_147_483;
