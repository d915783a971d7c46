import type { Feature } from '../../commands/feature.js';

export const forecast: Feature = {
  command: {
    name: 'forecast',
    arguments: '<place>',
    group: 'Decide:',
    description: 'Forecast replicas, CPU, memory, connections and cost for a rate that was not tested.',
    load: async () => (await import('./command.js')).defineForecast,
  },
};
