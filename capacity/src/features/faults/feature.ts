import type { Feature } from '../../commands/feature.js';

export const faults: Feature = {
  command: {
    name: 'faults',
    group: 'Measure:',
    description:
      'Kill, freeze or fill what a deployment depends on while it is under load, and account for every accepted request.',
    load: async () => (await import('./command.js')).defineFaults,
  },
  readRecord: async () => (await import('./read.js')).readFaultsRecord,
};
