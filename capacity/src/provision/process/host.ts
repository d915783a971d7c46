import type { Component } from '../../model/events.js';
import getPort from 'get-port';
import { EMBEDDED_SERVICES } from '../../chart/environment.js';
import { componentOf, type KubernetesObject } from '../../chart/objects.js';
import type { Pod } from '../../chart/pods.js';

/** The ports of one pod on this host, where all pods share one address. */
export interface HostPorts {
  /** n8n's HTTP port (of a worker: its health server), PostgreSQL's or Redis's port. */
  service: number;
  /** n8n's task broker. */
  broker: number;
}

/**
 * A pair of free ports on the loopback address.
 * @param fixed the service port that the user asked for; the caller has checked that it is free
 */
export async function allocatePorts(fixed?: number): Promise<HostPorts> {
  return { service: fixed ?? (await getPort({ host: LOOPBACK })), broker: await getPort({ host: LOOPBACK }) };
}

export const LOOPBACK = '127.0.0.1';

/** Address of an embedded service on this host, by its name in the cluster. */
export type ServiceAddresses = Map<string, number>;

/** Which embedded Service leads to which local port: by the component that both carry as a label. */
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
 * The one place where a host forces what the chart says otherwise: ports (all pods share one address), addresses of
 * embedded services, the folder of the volume, and n8n's calls home, which a measurement must not wait for.
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
    // The image's own environment, beneath the chart's.
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
