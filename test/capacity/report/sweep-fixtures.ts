export * from '../support/sweeps.js';
