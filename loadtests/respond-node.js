import { workload } from './lib/workload.js';

const load = workload('respond-node');

export const options = load.options;
export default load.iteration;
