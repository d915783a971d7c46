/** Share of throughput below which a difference does not matter: two machines of one kind differ more. */
export const MIN_RELEVANT_CHANGE = 0.04;
/** Share of p95 below which a difference does not matter. A p95 scatters more than a throughput. */
export const MIN_RELEVANT_LATENCY_CHANGE = 0.2;
