import { LOOPBACK } from './loopback.js';
import type { Deployment } from 'n8n-capacity';

/**
 * A deployment whose only endpoint is a balancer on a loopback port.
 * @param end stops the balancer; the deployment is torn down afterwards, even if this throws
 */
export const routeThroughPort = (deployment: Deployment, port: number, end: () => Promise<void>): Deployment => ({
  ...deployment,
  access: { ...deployment.access, endpoints: [`http://${LOOPBACK}:${port}`] },
  async teardown() {
    try {
      await end();
    } finally {
      await deployment.teardown();
    }
  },
});
