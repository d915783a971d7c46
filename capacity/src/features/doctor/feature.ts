import type { Feature } from '../../commands/feature.js';

export const doctor: Feature = {
  command: {
    name: 'doctor',
    group: 'Maintain:',
    description: 'Check whether this machine can run validate; --fix installs what is missing.',
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
