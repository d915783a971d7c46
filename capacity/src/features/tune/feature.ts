import type { Feature } from '../../commands/feature.js';

export const tune: Feature = {
  command: {
    name: 'tune',
    group: 'Measure:',
    description:
      'Measure which settings of n8n, PostgreSQL, Redis and Node change throughput and memory, and write the best safe values.',
    load: async () => (await import('./command.js')).defineTune,
  },
  readRecord: async () => (await import('./read.js')).readTuneRecord,
};
