import { workload } from './lib/workload.js';

const load = workload('cpu-burn');

export const options = load.options;
export default load.iteration;
