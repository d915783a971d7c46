import { workload } from './lib/workload.js';

const load = workload('webhook-wait');

export const options = load.options;
export default load.iteration;
