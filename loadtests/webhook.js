import { webhook } from './lib/workload.js';

const load = webhook();

export const options = load.options;
export default load.iteration;
