import { LOOPBACK } from './loopback.js';
import type { Deployment } from 'n8n-capacity';

/**
 * The deployment behind what listens on a port of the loopback address.
 * @param end ends what listens there; the deployment is ended after it, also when it throws
 */
export const inFront = (deployment: Deployment, port: number, end: () => Promise<void>): Deployment => ({
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
