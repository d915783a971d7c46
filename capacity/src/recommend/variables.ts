/** The first value to change, and why. */
export interface Change {
  /** Path in the chart's values, or the variable of another chart's n8n; undefined if no measurement points to one. */
  value?: string;
  /** What to do; a clause without a full stop. */
  action: string;
  /** What was measured; a clause. */
  evidence?: string;
  /** Why the action helps, where the evidence does not say it; a clause. */
  why?: string;
}

/**
 * A change as one sentence: what to do, the evidence, and why.
 * @param said text before the sentence; evidence that is in it is not repeated
 */
export function changeText({ action, evidence, why }: Change, said = ''): string {
  const reasons = [evidence !== undefined && said.includes(evidence) ? undefined : evidence, why];
  const because = reasons.filter((reason) => reason !== undefined).join(', and ');
  return because === '' ? `${action}.` : `${action}: ${because}.`;
}

/** What the chart's values are in the manifests of n8n by another chart. */
const NAMES: [RegExp, string][] = [
  [/(main|worker|webhook|postgresql|redis)\.resources\.limits\.(cpu|memory)/g, 'the $2 limit of $1'],
  [/(main|worker|webhook)\.heap\.n8n/g, '--max-old-space-size in NODE_OPTIONS of $1'],
  [/(main|worker|webhook)\.heap\.runner/g, 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE of $1'],
  [/(worker|webhook)\.replicas/g, 'the replicas of $1'],
  [/worker\.concurrency/g, '--concurrency of worker'],
  [/executions\.concurrencyLimit/g, 'N8N_CONCURRENCY_PRODUCTION_LIMIT'],
  [/executions\.mode/g, 'EXECUTIONS_MODE'],
  [/executions\.process/g, 'EXECUTIONS_PROCESS'],
  [/database\.poolSize/g, 'DB_POSTGRESDB_POOL_SIZE'],
  [/database\.type=postgresql/g, 'DB_TYPE=postgresdb'],
  [/postgresql\.maxConnections/g, "PostgreSQL's max_connections"],
];

const renamed = (text: string): string => NAMES.reduce((now, [path, name]) => now.replace(path, name), text);

/** A change in the words of manifests that another chart rendered; what only this chart has is left out. */
export function inVariables({ value, action, evidence, why }: Change): Change {
  const without = action
    .replace(/,? or set overload\.requestMegabytes.*/, '')
    .replace(/ if the chart asks for it/, '')
    .replace(/, or on a cluster with --provisioner kubernetes/, '');
  return {
    ...(value !== undefined && { value: renamed(value) }),
    action: renamed(without),
    ...(evidence !== undefined && { evidence: renamed(evidence) }),
    ...(why !== undefined && !why.includes('value of the chart') && { why: renamed(why) }),
  };
}
