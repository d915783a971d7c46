import { tests } from './cases.js';

// It compares with what is in the cluster: test/cluster/dry-run.test.ts.
await tests('_claims.tpl', [], ['claim-of-a-stateful-set']);
