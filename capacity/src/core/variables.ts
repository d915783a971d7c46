/** Whether a name is that of an environment variable; values of charts and parts of a deployment have lower case. */
export const isVariable = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);

/** The variable that a name sets: n8n reads NAME_FILE as the file that holds NAME. */
export const variableOf = (name: string): string => name.replace(/_FILE$/, '');

/** Variables that move n8n's paths or rename its metrics: the tool relies on their defaults, and reads its metrics by their own names. */
export const PLACES =
  /^(N8N_PATH|N8N_ENDPOINT_\w+|N8N_METRICS_PREFIX|N8N_METRICS_INCLUDE_DEFAULT_METRICS|N8N_SSL_(KEY|CERT))$/;
