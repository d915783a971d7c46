import type { Feature } from '../../commands/feature.js';

export const upgrade: Feature = {
  command: {
    name: 'upgrade',
    group: 'Measure:',
    description:
      'Compare two versions of n8n before you upgrade: throughput, latency, memory, start, and whether executions survive.',
    load: async () => (await import('./command.js')).defineUpgrade,
  },
  readRecord: async () => (await import('./read.js')).readUpgradeRecord,
};
