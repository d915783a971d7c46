/** What runs on this machine listens and is called here: nothing else reaches it, and no resolver is asked. */
export const LOOPBACK = '127.0.0.1';
