import type { Feature } from '../../commands/feature.js';

export const check: Feature = {
  command: {
    name: 'check',
    arguments: '<files...>',
    group: 'Decide:',
    description: 'Find choices in a workflow that cost capacity, memory or safety, and how to change them.',
    load: async () => (await import('./command.js')).defineCheck,
  },
};
