/** Address on which local processes listen and are called: other machines cannot reach it, and it needs no name resolution. */
export const LOOPBACK = '127.0.0.1';
