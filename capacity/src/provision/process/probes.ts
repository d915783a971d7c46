import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK } from '../../core/loopback.js';
import { withDeadline } from '../../core/deadline.js';
import { LONGEST_TIMER_SECONDS } from '../../core/timers.js';
import { waitUntil } from '../../core/wait-until.js';
import type { Container, Probe } from 'kubernetes-types/core/v1.js';
import type { Supervised } from './supervise.js';

/** Kubernetes' defaults for a probe's numbers. */
const DEFAULTS = { periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 };

/**
 * The address that an HTTP probe asks on this host. A path without a slash before it gets one, as the kubelet does: `@host/`
 * would otherwise be asked of that host.
 * @param otherwise the path where the probe names none
 */
export function probeUrl(port: number, probe?: Probe, otherwise = '/'): string {
  const path = probe?.httpGet?.path || otherwise;
  return `http://${LOOPBACK}:${port}${path.startsWith('/') ? '' : '/'}${path}`;
}

/** The numbers of a probe, as Kubernetes completes them: 0 is its default. */
function completeProbe(probe: Probe): typeof DEFAULTS {
  const { periodSeconds, timeoutSeconds, failureThreshold } = probe;
  return {
    periodSeconds: Math.min(periodSeconds || DEFAULTS.periodSeconds, LONGEST_TIMER_SECONDS),
    timeoutSeconds: Math.min(timeoutSeconds || DEFAULTS.timeoutSeconds, LONGEST_TIMER_SECONDS),
    failureThreshold: failureThreshold || DEFAULTS.failureThreshold,
  };
}

/** Runs a container's HTTP probes as the kubelet does; other kinds of probe, which only databases have, are ignored. */
export class ProbeRunner {
  private readonly abort = new AbortController();
  ready = false;

  constructor(
    private readonly container: Container,
    private readonly supervised: Supervised,
    private readonly port: number,
  ) {}

  /** Probes until `stop`. After a restart of the container it begins with the startup probe again. */
  run(): void {
    void this.loop().catch(() => {});
  }

  stop(): void {
    this.abort.abort();
  }

  private async loop(): Promise<void> {
    while (!this.abort.signal.aborted) {
      const start = this.supervised.starts;
      const same = () => this.supervised.starts === start && !this.abort.signal.aborted;
      const { startupProbe, livenessProbe, readinessProbe } = this.container;
      if (startupProbe?.httpGet && !(await this.startup(startupProbe, same))) continue;
      await Promise.all([
        livenessProbe?.httpGet && this.liveness(livenessProbe, same),
        readinessProbe?.httpGet && this.readiness(readinessProbe, same),
        waitUntil(() => !same(), { seconds: Infinity, everyMs: 500, signal: this.abort.signal }),
      ]);
      this.ready = false;
    }
  }

  private async startup(probe: Probe, same: () => boolean): Promise<boolean> {
    const { failureThreshold } = completeProbe(probe);
    for (let failures = 0; same(); await this.period(probe)) {
      if (this.supervised.pid === undefined) continue;
      if (await this.probe(probe)) return true;
      if (++failures >= failureThreshold) await this.supervised.endForProbe(`startup probe failed ${failures} times`);
    }
    return false;
  }

  private async liveness(probe: Probe, same: () => boolean): Promise<void> {
    const { failureThreshold } = completeProbe(probe);
    for (let failures = 0; same(); await this.period(probe)) {
      if (this.supervised.pid === undefined) continue;
      failures = (await this.probe(probe)) ? 0 : failures + 1;
      if (failures >= failureThreshold) await this.supervised.endForProbe(`liveness probe failed ${failures} times`);
    }
  }

  private async readiness(probe: Probe, same: () => boolean): Promise<void> {
    const { failureThreshold } = completeProbe(probe);
    for (let failures = 0; same(); await this.period(probe)) {
      if (this.supervised.pid === undefined) continue;
      failures = (await this.probe(probe)) ? 0 : failures + 1;
      if (failures === 0) this.ready = true;
      if (failures === failureThreshold) {
        if (this.ready) this.supervised.emit('unready', `readiness probe failed ${failures} times`);
        this.ready = false;
      }
    }
  }

  private async probe(probe: Probe): Promise<boolean> {
    const { timeoutSeconds } = completeProbe(probe);
    const url = probeUrl(this.port, probe);
    const ask = async (signal: AbortSignal) => {
      const response = await fetch(url, { signal, redirect: 'manual' });
      await response.arrayBuffer();
      return response.status >= 200 && response.status < 400;
    };
    return withDeadline(timeoutSeconds * 1000, ask, this.abort.signal).catch(() => false);
  }

  /** Resolves after the probe's period, or as soon as probing stops. */
  private period(probe: Probe): Promise<void> {
    const { periodSeconds } = completeProbe(probe);
    return sleep(periodSeconds * 1000, undefined, { signal: this.abort.signal }).catch(() => {});
  }
}
