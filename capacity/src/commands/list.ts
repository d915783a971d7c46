import type { CommandEntry } from './feature.js';
import type { FindReader } from './records.js';

/** The commands that belong to no feature. */
export const commandsOf = (findReader: FindReader): CommandEntry[] => [
  {
    name: 'validate',
    group: 'Measure:',
    description: 'Deploy n8n from the chart, load it with k6, and check the result against an SLO.',
    load: async () => (await import('./validate.js')).defineValidate,
  },
  {
    name: 'soak',
    group: 'Measure:',
    description: 'Hold one arrival rate for a long time, and check that nothing reaches its limit within a horizon.',
    load: async () => (await import('./soak.js')).defineSoak,
  },
  {
    name: 'burst',
    group: 'Measure:',
    description: 'Send a spike on top of a steady load, and check that its backlog drains and nothing is lost.',
    load: async () => (await import('./burst.js')).defineBurst,
  },
  {
    name: 'payload-limit',
    group: 'Measure:',
    description: 'Find the largest payload that survives at each concurrency, and the limit that stops it.',
    load: async () => (await import('./payload-limit.js')).definePayloadLimit,
  },
  {
    name: 'arrivals',
    group: 'Measure:',
    description: 'Record when executions arrived in the busiest hour of an n8n, to replay them with validate.',
    load: async () => (await import('./arrivals.js')).defineArrivals,
  },
  {
    name: 'recommend',
    arguments: '<place>',
    group: 'Decide:',
    description: 'Print the values that a record supports, with the source of each number, without running anything.',
    load: async () => (await import('./recommend.js')).defineRecommend(findReader),
  },
  {
    name: 'report',
    arguments: '<place>',
    group: 'Decide:',
    description:
      'Judge a recorded run again, rewrite its report, and copy it to S3 if asked, without running anything.',
    load: async () => (await import('./report.js')).defineReport(findReader),
  },
  {
    name: 'clean',
    group: 'Maintain:',
    description:
      'Remove what killed runs left: workflows and credentials in an existing n8n, namespaces in a cluster; or versions of n8n on this machine.',
    load: async () => (await import('./clean.js')).defineClean,
  },
];
