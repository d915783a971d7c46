import { workload } from './lib/workload.js';

const load = workload('transform');

export const options = load.options;
export default load.iteration;
