import { jest } from '@jest/globals';
import { describeWorkflows } from './workflows/describe.js';
import { missing, runtimes } from './workflows/runtimes.js';

// The test starts n8n's command line a dozen times, which takes minutes on a busy machine.
jest.setTimeout(900_000);

for (const version of missing) test.todo(`n8n ${version} is not installed here: "make setup" installs it`);
runtimes.slice(0, -1).forEach(describeWorkflows);
