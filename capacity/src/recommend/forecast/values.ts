import type { Arrangement } from './arrangement.js';
import type { Setting } from '../values.js';
import { connectionsOf } from './summary.js';

/** PostgreSQL's maxConnections are rounded up to a multiple of this. */
const CONNECTIONS_STEP = 10;
/** The chart's own default of postgresql.reservedConnections. */
const RESERVED_CONNECTIONS = 10;

/** The values of the chart that make an arrangement, where they differ from those of the record. */
export function forecastSettings(arrangement: Arrangement, recorded: Arrangement, source: string): Setting[] {
  const setting = (path: string, value: Setting['value']): Setting => ({ path: path.split('.'), value, source });
  const settings = [...arrangement.components].flatMap(([component, pods]): Setting[] => {
    const before = recorded.components.get(component)!;
    const changed = <K extends keyof typeof pods>(key: K) => pods[key] !== undefined && pods[key] !== before[key];
    const slots = component === 'main' ? 'executions.concurrencyLimit' : `${component}.concurrency`;
    return [
      ...(component === 'worker' || component === 'webhook' ? [setting(`${component}.replicas`, pods.replicas)] : []),
      ...(changed('slots') ? [setting(slots, pods.slots!)] : []),
      ...(changed('cores') ? [setting(`${component}.resources.limits.cpu`, `${pods.cores! * 1000}m`)] : []),
      ...(changed('memoryBytes')
        ? [setting(`${component}.resources.limits.memory`, `${Math.ceil(pods.memoryBytes! / 2 ** 20)}Mi`)]
        : []),
    ];
  });
  const connections = connectionsOf(arrangement);
  if (connections === undefined || !arrangement.components.has('postgresql')) return settings;
  const most = Math.ceil((connections + RESERVED_CONNECTIONS) / CONNECTIONS_STEP) * CONNECTIONS_STEP;
  return [...settings, setting('postgresql.maxConnections', most)];
}
