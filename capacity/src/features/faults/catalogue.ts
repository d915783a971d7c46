import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultName } from './record.js';
import { postgresConnections } from './connections.js';
import { diskFull } from './disk-full.js';
import type { Fault } from './fault.js';

/** Seconds, longer than Bull's lock of 60 s plus the 30 s between two checks for stalled jobs. */
const FROZEN_SECONDS = 100;
const UNREACHABLE_SECONDS = 90;
/** Seconds. A failover of a managed PostgreSQL takes up to about a minute. */
const OUTAGE_SECONDS = 45;
/** Seconds until a deleted pod of PostgreSQL runs again (measured: 38 s). */
const AWAY_AND_BACK_SECONDS = 40;
/** Seconds of a restart of n8n on a busy machine, including the wait for its executions. */
const RESTART_SECONDS = 20;
/** Seconds to drain a node. Its pods end together, or one by one if a disruption budget requires it. */
const DRAIN_SECONDS = 60;
const OVERLOAD = { factor: 3, seconds: 30 };

/** A fault of fixed length. */
const fixedLengthFault = (seconds: number, fault: Omit<Fault, 'seconds'>): Fault => ({
  ...fault,
  seconds: () => seconds,
});

/** All faults. */
export const CATALOGUE: Record<FaultName, Fault> = {
  'worker-kill': fixedLengthFault(1, {
    title: 'one worker killed',
    needs: { worker: 1 },
    inject: ({ injector, signal }) => injector.kill('worker', 'one', signal),
  }),
  'worker-freeze': fixedLengthFault(FROZEN_SECONDS, {
    title: `worker frozen for ${FROZEN_SECONDS} s`,
    needs: { worker: 1 },
    inject: ({ injector, signal }) => injector.halt('worker', FROZEN_SECONDS, signal),
  }),
  'workers-kill': fixedLengthFault(1, {
    title: 'all workers killed',
    needs: { worker: 1 },
    inject: ({ injector, signal }) => injector.kill('worker', 'all', signal),
  }),
  'webhook-kill': fixedLengthFault(1, {
    title: 'one webhook processor killed',
    needs: { webhook: 1 },
    inject: ({ injector, signal }) => injector.kill('webhook', 'one', signal),
  }),
  'main-kill': fixedLengthFault(1, {
    title: 'main killed',
    needs: { main: 1 },
    inject: ({ injector, signal }) => injector.kill('main', 'all', signal),
  }),
  'redis-restart': fixedLengthFault(5, {
    title: 'Redis restarted',
    needs: { redis: 1 },
    inject: ({ injector, signal }) => injector.restart('redis', signal),
  }),
  'redis-data-loss': fixedLengthFault(5, {
    title: "Redis' data lost",
    needs: { redis: 1 },
    // Running executions only need the database to end. Waiting ones exist only in Redis.
    fillsQueue: true,
    inject: ({ injector, signal }) => injector.loseQueue(signal),
  }),
  'redis-unreachable': fixedLengthFault(UNREACHABLE_SECONDS, {
    title: `Redis unreachable for ${UNREACHABLE_SECONDS} s`,
    needs: { redis: 1 },
    inject: ({ injector, signal }) => injector.halt('redis', UNREACHABLE_SECONDS, signal),
  }),
  'postgres-restart': fixedLengthFault(5, {
    title: 'PostgreSQL restarted',
    needs: { postgresql: 1 },
    inject: ({ injector, signal }) => injector.restart('postgresql', signal),
  }),
  'postgres-outage': fixedLengthFault(OUTAGE_SECONDS + AWAY_AND_BACK_SECONDS, {
    title: `PostgreSQL away for ${OUTAGE_SECONDS} s`,
    needs: { postgresql: 1 },
    inject: ({ injector, signal }) => injector.takeAway('postgresql', OUTAGE_SECONDS, signal),
  }),
  'postgres-connections': postgresConnections,
  'disk-full': diskFull,
  'rolling-restart': {
    title: 'every n8n process restarted, one after the other',
    needs: { main: 1 },
    seconds: (instances) => instances * RESTART_SECONDS,
    inject: ({ injector, signal }) => injector.restartEach(signal),
  },
  'scale-in': fixedLengthFault(10, {
    title: 'one worker fewer',
    needs: { worker: 2 },
    inject: ({ injector, signal }) => injector.scaleIn(signal),
  }),
  'node-drain': fixedLengthFault(DRAIN_SECONDS, {
    title: "n8n's pods of one node evicted",
    needs: { worker: 1 },
    only: { provisioner: 'kubernetes', because: 'whose pods are on nodes' },
    inject: async ({ injector, signal }) => injector.drain?.(signal),
  }),
  overload: fixedLengthFault(OVERLOAD.seconds, {
    title: `${OVERLOAD.factor} times the capacity for ${OVERLOAD.seconds} s`,
    needs: {},
    overload: OVERLOAD.factor,
    // k6 sends the overload. A request that it cannot send makes the trial inconclusive.
    inject: async ({ signal }) => {
      await sleep(OVERLOAD.seconds * 1000, undefined, { signal });
      return `k6 sent ${OVERLOAD.factor} times the capacity for ${OVERLOAD.seconds} s`;
    },
  }),
};
