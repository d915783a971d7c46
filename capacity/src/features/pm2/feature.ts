import type { Feature } from '../../commands/feature.js';

export const pm2: Feature = {
  command: {
    name: 'pm2',
    group: 'Operate:',
    description: 'Write a PM2 ecosystem.config.cjs from the rendered chart, without running anything.',
    load: async () => (await import('./command.js')).definePm2,
  },
};
