export * from './support/bursts.js';
