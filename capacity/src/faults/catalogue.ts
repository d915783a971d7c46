import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultName } from '../model/faults.js';
import { postgresConnections } from './connections.js';
import { diskFull } from './disk-full.js';
import type { Fault } from './fault.js';
import {
  kill,
  postgresRestart,
  redisDataLoss,
  redisRestart,
  redisUnreachable,
  rollingRestart,
  scaleIn,
  workerFreeze,
} from './processes.js';

const OVERLOAD = { factor: 3, seconds: 30 };

const overload: Fault = {
  title: `${OVERLOAD.factor} times the capacity for ${OVERLOAD.seconds} s`,
  needs: {},
  seconds: () => OVERLOAD.seconds,
  overload: OVERLOAD.factor,
  // k6 does it; a request that it does not send makes the trial inconclusive.
  inject: async ({ signal }) => {
    await sleep(OVERLOAD.seconds * 1000, undefined, { signal });
    return `k6 sent ${OVERLOAD.factor} times the capacity for ${OVERLOAD.seconds} s`;
  },
};

/** All faults. */
export const CATALOGUE: Record<FaultName, Fault> = {
  'worker-kill': kill('worker', 'one worker killed', ([first]) => [first!]),
  'worker-freeze': workerFreeze,
  'workers-kill': kill('worker', 'all workers killed', (all) => all),
  'webhook-kill': kill('webhook', 'one webhook processor killed', ([first]) => [first!]),
  'main-kill': kill('main', 'main killed', (all) => all),
  'redis-restart': redisRestart,
  'redis-data-loss': redisDataLoss,
  'redis-unreachable': redisUnreachable,
  'postgres-restart': postgresRestart,
  'postgres-connections': postgresConnections,
  'disk-full': diskFull,
  'rolling-restart': rollingRestart,
  'scale-in': scaleIn,
  overload,
};
