import { isRescue, type KubernetesObject } from './objects.js';

/** Settings of the rescue's pod in the chart. */
export interface RescuePod {
  /** Variables that have a value in the chart. */
  environment: Record<string, string>;
  /** The Secret with the key of n8n's API, and the key in it. */
  apiKey: { name: string; key: string };
}

/** The pod of the rescue; undefined if the values do not enable it. */
export function findRescuePod(objects: KubernetesObject[]): RescuePod | undefined {
  const variables = objects.find(isRescue)?.spec?.template?.spec.containers[0]?.env;
  if (!variables) return undefined;
  const environment = variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  const { name = '', key } = variables.find((v) => v.name === 'N8N_API_KEY')!.valueFrom!.secretKeyRef!;
  return { environment: Object.fromEntries(environment), apiKey: { name, key } };
}
