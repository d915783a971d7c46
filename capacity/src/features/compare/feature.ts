import type { Feature } from '../../commands/feature.js';

export const compare: Feature = {
  command: {
    name: 'compare',
    arguments: '<A> <B>',
    group: 'Decide:',
    description: 'Compare two recorded runs: for each load, whether B is better, worse or a tie.',
    load: async () => (await import('./command.js')).defineCompare,
  },
};
