export * from '../support/folders.js';
