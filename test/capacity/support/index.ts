/** Builders of records for tests: steps, runs, bursts, sweeps, and folders that hold them. */
export * from './bursts.js';
export * from './folders.js';
export * from './page.js';
export * from './payload-run.js';
export * from './queue-run.js';
export * from './runs.js';
export * from './steps.js';
export * from './sweeps.js';
