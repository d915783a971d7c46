/** A difference of throughput below this share does not matter: one machine differs more from another of its kind. */
export const MATTERS = 0.04;
/** A p95 has to differ by more than this share to matter: it scatters more than a throughput. */
export const LATENCY_MATTERS = 0.2;
