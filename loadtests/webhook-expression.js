import { workload } from './lib/workload.js';

const load = workload('webhook-expression');

export const options = load.options;
export default load.iteration;
