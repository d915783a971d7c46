import { withDefaults } from '../../plan/values.js';
import type { Arrangement } from '../../recommend/forecast/arrangement.js';
import type { Setting } from '../../recommend/setting.js';
import { countConnections } from './summary.js';

/** Connections: PostgreSQL's maxConnections is rounded up to a multiple of this. */
const CONNECTIONS_STEP = 10;

/**
 * The chart's settings for an arrangement, where they differ from those of the record.
 * @param source comment on each setting that names where it comes from
 * @param given the values of the record
 */
export function forecastSettings(
  arrangement: Arrangement,
  recorded: Arrangement,
  source: string,
  given: Record<string, unknown>,
): Setting[] {
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
        ? [
            {
              ...setting(`${component}.resources.limits.memory`, `${Math.ceil(pods.memoryBytes! / 2 ** 20)}Mi`),
              // A heap that was computed for the recorded limit is too small for the new one.
              replaces: [component, 'heap'],
            },
          ]
        : []),
    ];
  });
  const connections = countConnections(arrangement);
  if (connections === undefined || !arrangement.components.has('postgresql')) return settings;
  const { postgresql } = withDefaults(given) as { postgresql: { maxConnections: number; reservedConnections: number } };
  const { maxConnections, reservedConnections } = postgresql;
  const needed = connections + reservedConnections;
  if (needed <= maxConnections) return settings;
  const most = Math.ceil(needed / CONNECTIONS_STEP) * CONNECTIONS_STEP;
  return [...settings, setting('postgresql.maxConnections', most)];
}
