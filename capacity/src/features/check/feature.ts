import type { Feature } from '../../commands/feature.js';

export const check: Feature = {
  command: {
    name: 'check',
    arguments: '<files...>',
    group: 'Decide:',
    description: 'Find what a workflow does that costs capacity, memory or safety, and how to change it.',
    load: async () => (await import('./command.js')).defineCheck,
  },
};
