export * from '../support/queue-run.js';
