/** Whether a name is that of an environment variable; values of charts and parts of a deployment have lower case. */
export const isVariable = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);

/** Where n8n serves what: the tool asks at n8n's own places, and reads its metrics by their own names. */
export const PLACES =
  /^(N8N_PATH|N8N_ENDPOINT_\w+|N8N_METRICS_PREFIX|N8N_METRICS_INCLUDE_DEFAULT_METRICS|N8N_SSL_(KEY|CERT))$/;
