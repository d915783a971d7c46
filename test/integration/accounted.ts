import { allowLedger } from '../../capacity/src/features/faults/ledger/files.js';
import { postgresWriting } from '../../capacity/src/features/faults/ledger/postgres.js';
import { faultImports, WEBHOOK } from '../../capacity/src/features/faults/workflow.js';
import { readPostgresAddress } from '../../capacity/src/observe/postgres.js';
import { processProvisioner } from '../../capacity/src/provision/process/process-provisioner.js';

/**
 * Deploys processes with the workflow of `faults`, whose requests are followed in n8n's PostgreSQL.
 *
 * @param workSeconds seconds that each execution works
 */
export const accountedProvisioner = (workSeconds: number) =>
  processProvisioner({
    driven: {
      imports: (token, environment) =>
        Promise.resolve(faultImports(token, workSeconds, postgresWriting(readPostgresAddress(environment)))),
      webhook: { path: WEBHOOK },
    },
    adapt: (launch) => Promise.resolve(allowLedger(launch)),
  });
