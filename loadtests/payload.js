import { workload } from './lib/workload.js';

const load = workload('payload');

export const options = load.options;
export default load.iteration;
