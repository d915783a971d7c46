import type { Container } from 'kubernetes-types/core/v1.js';
import { runsN8n } from '../../model/events.js';
import type { KubernetesObject } from '../../chart/objects.js';
import { listLocalPods } from '../../chart/pods.js';
import type { EnvironmentChange } from './record.js';

/**
 * What the chart renders differently for two versions: variables and arguments of the pods of n8n, each once for a component.
 * Secrets are only named in a render, so that no value of theirs is among them.
 */
export function environmentChanges(from: KubernetesObject[], to: KubernetesObject[]): EnvironmentChange[] {
  const [old, next] = [settingsByComponent(from), settingsByComponent(to)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((component) => {
    const [before, after] = [old.get(component) ?? new Map(), next.get(component) ?? new Map()] as Settings[];
    const names = [...new Set([...before!.keys(), ...after!.keys()])];
    return names.flatMap((name): EnvironmentChange[] => {
      const [was, is] = [before!.get(name), after!.get(name)];
      if (was === is) return [];
      return [{ component, name, ...(was !== undefined && { from: was }), ...(is !== undefined && { to: is }) }];
    });
  });
}

type Settings = Map<string, string>;

/** The settings of each component of n8n; pods of one component have the same. */
function settingsByComponent(objects: KubernetesObject[]): Map<string, Settings> {
  const pods = listLocalPods(objects).filter(({ component }) => runsN8n(component));
  return new Map(pods.map(({ component, container }) => [component, containerSettings(container)]));
}

function containerSettings({ args = [], env = [] }: Container): Settings {
  const variables = env.flatMap(({ name, value }): [string, string][] => (value === undefined ? [] : [[name, value]]));
  return new Map([['arguments', args.join(' ')], ...variables]);
}
