import type { INodeProperties } from 'n8n-workflow';
import { breakdown } from './breakdown';
import { job } from './job';
import { jobs } from './jobs';
import { pause, resume } from './pause';
import { queues } from './queues';
import { reconcile } from './reconcile';
import { stats } from './stats';
import { waitUntilDrained } from './waitUntilDrained';
import { workers } from './workers';

/** All operations, by their value in the parameter `operation`. */
export const operations = { breakdown, job, jobs, pause, queues, reconcile, resume, stats, waitUntilDrained, workers };
export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/** The parameter that chooses one of them. */
export const operationField: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Get Breakdown',
      value: 'breakdown',
      action: 'Get a breakdown of the queue',
      description: 'Count the unfinished jobs by priority and by workflow',
    },
    {
      name: 'Get Job',
      value: 'job',
      action: 'Get a job',
      description: 'Get the state and the lock of one job, by its ID or that of its execution',
    },
    {
      name: 'Get Jobs',
      value: 'jobs',
      action: 'Get jobs of one state',
      description: 'List the jobs of one state and their executions',
    },
    {
      name: 'Get Queues',
      value: 'queues',
      action: 'Get the queues',
      description: 'List the queues in Redis and count their jobs',
    },
    {
      name: 'Get Stats',
      value: 'stats',
      action: 'Get stats of the queue',
      description:
        'Count the jobs, and get the age of the oldest, the rates at which jobs are added and finished and the time to drain',
    },
    {
      name: 'Get Workers',
      value: 'workers',
      action: 'Get workers of the queue',
      description: 'List the connected workers',
    },
    {
      name: 'Pause Queue',
      value: 'pause',
      action: 'Pause the queue',
      description: 'Let no further job start. The credential must allow changes.',
    },
    {
      name: 'Reconcile',
      value: 'reconcile',
      action: 'Reconcile executions with the queue',
      description: 'Compare executions of the n8n node with the jobs, to find those that are lost or left behind',
    },
    {
      name: 'Resume Queue',
      value: 'resume',
      action: 'Resume the queue',
      description: 'Let jobs start again. The credential must allow changes.',
    },
    {
      name: 'Wait Until Drained',
      value: 'waitUntilDrained',
      action: 'Wait until the queue is drained',
      description: 'Wait until the jobs are finished, or until the timeout',
    },
  ],
  default: 'stats',
};
