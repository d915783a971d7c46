import { workload } from './lib/workload.js';

const load = workload('code-each-item');

export const options = load.options;
export default load.iteration;
