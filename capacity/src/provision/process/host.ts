import { LOOPBACK } from '../../core/loopback.js';
import type { Component } from '../../model/events.js';
import getPort from 'get-port';
import { EMBEDDED_SERVICES } from '../../chart/environment.js';
import { componentOf, type KubernetesObject } from '../../chart/objects.js';
import type { Pod } from '../../chart/pods.js';

/** The ports of one pod on this host; all pods share one address. */
export interface HostPorts {
  /** n8n's HTTP port (of a worker: its health server), PostgreSQL's or Redis's port. */
  service: number;
  /** n8n's task broker. */
  broker: number;
}

/**
 * A pair of free ports on the loopback address.
 * @param fixed the service port that the user chose; the caller has checked that it is free
 */
export async function allocatePorts(fixed?: number): Promise<HostPorts> {
  return { service: fixed ?? (await getPort({ host: LOOPBACK })), broker: await getPort({ host: LOOPBACK }) };
}

/** Local port of an embedded service by its name in the cluster. */
export type ServiceAddresses = Map<string, number>;

/** Maps each embedded Service to the local port of the pod with the same component label. */
export function serviceAddresses(
  objects: KubernetesObject[],
  ports: Map<string, HostPorts>,
  pods: Pod[],
): ServiceAddresses {
  const addresses: ServiceAddresses = new Map();
  for (const service of objects.filter((o) => o.kind === 'Service')) {
    const pod = pods.find((p) => p.component === componentOf(service));
    if (pod) addresses.set(service.metadata.name, ports.get(pod.name)!.service);
  }
  return addresses;
}

/**
 * The only place that overrides the chart for this host. It replaces ports (all pods share one address), addresses of embedded
 * services and the folder of the volume, and switches off n8n's calls home, which would disturb a measurement.
 */
export function onThisHost(
  environment: Record<string, string>,
  component: Component,
  ports: HostPorts,
  services: ServiceAddresses,
  home: string,
): Record<string, string> {
  const moved = { ...environment };
  for (const [hostName, portName] of Object.values(EMBEDDED_SERVICES)) {
    const port = services.get(environment[hostName]?.split('.')[0] ?? '');
    if (port === undefined) continue;
    moved[hostName] = LOOPBACK;
    moved[portName] = String(port);
  }
  return {
    // Set by the image; the chart may override it.
    NODE_ENV: 'production',
    ...moved,
    HOME: home,
    N8N_USER_FOLDER: home,
    N8N_LISTEN_ADDRESS: LOOPBACK,
    N8N_PORT: String(ports.service),
    N8N_RUNNERS_BROKER_PORT: String(ports.broker),
    N8N_RUNNERS_BROKER_LISTEN_ADDRESS: LOOPBACK,
    ...(component === 'worker' && {
      QUEUE_HEALTH_CHECK_PORT: String(ports.service),
      N8N_WORKER_SERVER_ADDRESS: LOOPBACK,
    }),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
  };
}
