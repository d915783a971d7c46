import type { Feature } from '../../commands/feature.js';

export const doctor: Feature = {
  command: {
    name: 'doctor',
    group: 'Maintain:',
    description: 'Show what this machine has and what is missing, and install it with --fix.',
    load: async () => (await import('./command.js')).defineDoctor,
  },
  oldCommands: [
    {
      name: 'setup',
      description: 'Old name of doctor --fix: install the tools that validate needs.',
      load: async () => (await import('./command.js')).defineSetup,
    },
  ],
};
