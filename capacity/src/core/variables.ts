/** Whether a name is written like an environment variable. Values of charts and parts of a deployment are in lower case. */
export const isVariableName = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);

/** The name without a final `_FILE`: n8n reads the value of NAME from the file that NAME_FILE names. */
export const stripFileSuffix = (name: string): string => name.replace(/_FILE$/, '');

/** Variables that move n8n's paths or rename its metrics. The tool relies on the default paths and metric names. */
export const RELOCATING_VARIABLES =
  /^(N8N_PATH|N8N_ENDPOINT_\w+|N8N_METRICS_PREFIX|N8N_METRICS_INCLUDE_DEFAULT_METRICS|N8N_SSL_(KEY|CERT))$/;
