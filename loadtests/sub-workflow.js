import { workload } from './lib/workload.js';

const load = workload('sub-workflow');

export const options = load.options;
export default load.iteration;
