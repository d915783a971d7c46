import { testBreakdown } from './bull-queue/breakdown.js';
import { testCluster } from './bull-queue/cluster.js';
import { testDrain } from './bull-queue/drain.js';
import { testItems } from './bull-queue/items.js';
import { testJob } from './bull-queue/job.js';
import { testJobs } from './bull-queue/jobs.js';
import { testLost } from './bull-queue/lost.js';
import { OneServer } from './bull-queue/one-server.js';
import { testPause } from './bull-queue/pause.js';
import { testPrefix } from './bull-queue/prefix.js';
import { testQueues } from './bull-queue/queues.js';
import { testReconcile } from './bull-queue/reconcile.js';
import { testRefusals } from './bull-queue/refusals.js';
import { testStats } from './bull-queue/stats.js';
import { testTls } from './bull-queue/tls.js';
import { testUsers } from './bull-queue/users.js';
import { testWorkers } from './bull-queue/workers.js';

/** The node against a real Redis, with jobs that Bull itself added and processed. */

describe('one server', () => {
  const on = new OneServer();
  describe('Get Stats', () => testStats(on));
  describe('Get Breakdown', () => testBreakdown(on));
  describe('Get Job', () => testJob(on));
  describe('Get Jobs', () => testJobs(on));
  describe('Get Queues', () => testQueues(on));
  describe('Get Workers', () => testWorkers(on));
  describe('Wait Until Drained', () => testDrain(on));
  describe('Pause Queue and Resume Queue', () => testPause(on));
  describe('Reconcile', () => testReconcile(on));
  describe('items and connections', () => testItems(on));
  describe('prefix and queue', () => testPrefix(on));
  describe('users', () => testUsers(on));
});

describe('a Redis that goes away', () => testLost());
describe('a failed read is reported within 5 s, without a password', () => testRefusals());
describe('TLS', () => testTls());
describe('a Redis Cluster', () => testCluster());
