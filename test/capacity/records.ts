export { goodStep } from './support/steps.js';
export { plan, regular, runRecord } from './support/runs.js';
