/** The longest time of a timer, in seconds: Node fires one of more than 2 ** 31 - 1 ms at once. */
export const LONGEST_TIMER_SECONDS = 2_147_483;
