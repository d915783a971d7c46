/** Everything that an experiment starts listens here. */
export const LOOPBACK = '127.0.0.1';
