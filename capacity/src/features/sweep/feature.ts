import type { Feature } from '../../commands/feature.js';

export const sweep: Feature = {
  command: {
    name: 'sweep',
    arguments: '<plan>',
    group: 'Measure:',
    description: 'Measure a matrix of configurations, and find the cheapest one that meets the target.',
    load: async () => (await import('./command.js')).defineSweep,
  },
  readRecord: async () => (await import('./read.js')).readSweepRecord,
};
