import { jest } from '@jest/globals';
import { describeWorkflows } from '../workflows/describe.js';
import { runtimes } from '../workflows/runtimes.js';

// The test starts n8n's command line a dozen times, which takes minutes on a busy machine.
jest.setTimeout(900_000);

const newest = runtimes.at(-1);
if (!newest) throw new Error('no n8n is installed here: run "make setup" first');
describeWorkflows(newest);
