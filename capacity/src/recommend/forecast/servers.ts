import type { Random } from '../../stats/random.js';

/** The pods of one component: equal replicas with the same stations. */
export interface Tier {
  name: string;
  replicas: number;
  stations: Station[];
  /** CPU limit of a replica minus its use without load, in cores; undefined without a limit. */
  cores?: number;
  /** Executions that a replica runs at once, and connections to PostgreSQL that it may open; undefined without a limit. */
  slots?: number;
  connections?: number;
  /** Requests that a replica admits at once; undefined without a limit. */
  requests?: number;
}

/** A permit that an execution holds for a time: a slot of any replica, or a connection or a request of its own replica. */
export type Permit = 'slot' | 'connection' | 'request';

/** Threads that work off a queue in order: n8n's main thread, or the backends of PostgreSQL. */
export interface Station {
  /** Seconds that one of its threads works for an execution when nothing slows it. */
  seconds: number;
  /** Threads that work at the same time. */
  threads: number;
  /** Cores that a busy thread uses, helpers such as garbage collection included. */
  cores: number;
}

/** An execution under way. */
export interface Job {
  /** Second at which it arrived. */
  at: number;
  /** Index of its next operation. */
  next: number;
  /** Its work as a multiple of the mean. */
  size: number;
  /** Whether it is measured. */
  counted: boolean;
  /** The replica that has it, by tier. */
  replicas: number[];
}

interface Replica {
  stations: { queue: Job[]; running: number; busy: number }[];
  /** Cores that its busy threads ask for. */
  wanted: number;
  slots: number;
  connections: PermitPool;
  requests: PermitPool;
}

/** Free permits of one replica, and the executions that wait for one. */
interface PermitPool {
  free: number;
  waiting: Job[];
}

interface Running {
  job: Job;
  /** Seconds of work left at full speed. */
  left: number;
  tier: number;
  replica: number;
  station: number;
  /** Cores that it asks for. */
  cores: number;
  speed: number;
}

/** Stations, slots and connections of all tiers. Threads of a replica share its cores, and all replicas the shared cores. */
export class Servers {
  private readonly replicas: Replica[][];
  private readonly slotQueues: Job[][];
  private running: Running[] = [];
  private stale = true;
  slotsInUse = 0;
  mostConnections = 0;

  constructor(
    private readonly tiers: Tier[],
    private readonly random: Random,
    private readonly sharedCores = Infinity,
  ) {
    this.slotQueues = tiers.map(() => []);
    this.replicas = tiers.map((tier) =>
      Array.from({ length: tier.replicas }, () => ({
        stations: tier.stations.map(() => ({ queue: [], running: 0, busy: 0 })),
        wanted: 0,
        slots: tier.slots ?? Infinity,
        connections: { free: tier.connections ?? Infinity, waiting: [] },
        requests: { free: tier.requests ?? Infinity, waiting: [] },
      })),
    );
  }

  /** Queues an execution at a station of its replica, and begins its work if a thread is free. */
  startWork(job: Job, tier: number, station: number): void {
    const replica = this.assignReplica(job, tier);
    const { queue } = this.replicas[tier]![replica]!.stations[station]!;
    queue.push(job);
    this.beginNext(tier, replica, station);
  }

  /** Acquires a permit. Returns false if none is free; the execution then waits for one. */
  acquire(job: Job, tier: number, what: Permit): boolean {
    if (what === 'slot') {
      const free = this.pickFreeReplica(tier);
      if (free === undefined) this.slotQueues[tier]!.push(job);
      else this.giveSlot(job, tier, free);
      return free !== undefined;
    }
    const own = this.permitPool(job, tier, what);
    if (own.free <= 0) {
      own.waiting.push(job);
      return false;
    }
    own.free -= 1;
    if (what === 'connection')
      this.mostConnections = Math.max(this.mostConnections, (this.tiers[tier]!.connections ?? 0) - own.free);
    return true;
  }

  /** Releases a permit. @returns the execution that waited for it and holds it now, if any */
  release(job: Job, tier: number, what: Permit): Job | undefined {
    if (what !== 'slot') {
      const own = this.permitPool(job, tier, what);
      const next = own.waiting.shift();
      if (!next) own.free += 1;
      return next;
    }
    this.replicas[tier]![job.replicas[tier]!]!.slots += 1;
    this.slotsInUse -= 1;
    const next = this.slotQueues[tier]!.shift();
    if (next) this.giveSlot(next, tier, job.replicas[tier]!);
    return next;
  }

  /** Seconds until the next work ends; Infinity if none is under way. */
  secondsToNextEnd(): number {
    if (this.stale) this.setSpeeds();
    let least = Infinity;
    for (const { left, speed } of this.running) least = Math.min(least, left / speed);
    return least;
  }

  /** Advances the time, at most until the next work ends. */
  advanceTime(seconds: number): void {
    for (const running of this.running) {
      running.left -= seconds * running.speed;
      this.replicas[running.tier]![running.replica]!.stations[running.station]!.busy += seconds;
    }
  }

  /** Removes and returns the executions whose work has ended. Their threads begin the next ones. */
  finishWork(): Job[] {
    const ended = this.running.filter((r) => r.left <= ROUNDING);
    this.running = this.running.filter((r) => r.left > ROUNDING);
    for (const running of ended) {
      const { tier, replica, station } = running;
      const own = this.replicas[tier]![replica]!;
      own.stations[station]!.running -= 1;
      own.wanted -= running.cores;
      this.beginNext(tier, replica, station);
    }
    this.stale = true;
    return ended.map((r) => r.job);
  }

  /** Busy share of the busiest station of each tier, the mean over its replicas. */
  busyShares(seconds: number): number[] {
    return this.tiers.map(({ stations, replicas }, tier) =>
      Math.max(
        0,
        ...stations.map(({ threads }, station) => {
          const busy = this.replicas[tier]!.reduce((sum, r) => sum + r.stations[station]!.busy, 0);
          return busy / (seconds * threads * replicas);
        }),
      ),
    );
  }

  /** The replica that has the execution; a random one, if none has it yet. */
  private assignReplica(job: Job, tier: number): number {
    return (job.replicas[tier] ??= Math.floor(this.random.uniform() * this.tiers[tier]!.replicas));
  }

  private permitPool(job: Job, tier: number, what: 'connection' | 'request'): PermitPool {
    return this.replicas[tier]![this.assignReplica(job, tier)]![`${what}s`];
  }

  /** A replica with a free slot, each with the same probability. */
  private pickFreeReplica(tier: number): number | undefined {
    const all = this.replicas[tier]!;
    const first = Math.floor(this.random.uniform() * all.length);
    if (all[first]!.slots > 0) return first;
    const free = all.flatMap((r, i) => (r.slots > 0 ? [i] : []));
    return free[Math.floor(this.random.uniform() * free.length)];
  }

  private giveSlot(job: Job, tier: number, replica: number): void {
    job.replicas[tier] = replica;
    this.replicas[tier]![replica]!.slots -= 1;
    this.slotsInUse += 1;
  }

  private beginNext(tier: number, replica: number, station: number): void {
    const { seconds, threads, cores } = this.tiers[tier]!.stations[station]!;
    const own = this.replicas[tier]![replica]!;
    const at = own.stations[station]!;
    if (at.running >= threads || at.queue.length === 0) return;
    const job = at.queue.shift()!;
    at.running += 1;
    own.wanted += cores;
    this.running.push({ job, left: seconds * job.size, tier, replica, station, cores, speed: 1 });
    this.stale = true;
  }

  /** Slows down a replica that wants more cores than its limit, and all replicas if they want more than the shared cores. */
  private setSpeeds(): void {
    let all = 0;
    for (const running of this.running) {
      const { cores: limit = Infinity } = this.tiers[running.tier]!;
      running.speed = Math.min(1, limit / this.replicas[running.tier]![running.replica]!.wanted);
      all += running.speed * running.cores;
    }
    const slowed = Math.min(1, this.sharedCores / all);
    for (const running of this.running) running.speed *= slowed;
    this.stale = false;
  }
}

/** Seconds of work that rounding may leave. Such work has ended. */
const ROUNDING = 1e-9;
