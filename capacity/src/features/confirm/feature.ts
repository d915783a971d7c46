import type { Feature } from '../../commands/feature.js';

export const confirm: Feature = {
  command: {
    name: 'confirm',
    arguments: '<place>',
    group: 'Decide:',
    description: 'Confirm values that held, on fresh deployments and in a soak; only then are they recommended.',
    load: async () => (await import('./command.js')).defineConfirm,
  },
  readRecord: async () => (await import('./read.js')).readConfirmRecord,
};
