import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  ILoadOptionsFunctions,
  INodeListSearchResult,
} from 'n8n-workflow';
import { testCredential } from './credential';
import { searchQueues } from './searchQueues';

/** Methods that n8n's editor calls on both nodes, to test the credential and to list the queues. */
export const methods = {
  credentialTest: {
    bullQueueApiTest(this: ICredentialTestFunctions, credential: ICredentialsDecrypted) {
      return testCredential(credential);
    },
  },
  listSearch: {
    searchQueues(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
      return searchQueues(this, filter);
    },
  },
};
