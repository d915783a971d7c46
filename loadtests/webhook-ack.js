import { workload } from './lib/workload.js';

const load = workload('webhook-ack');

export const options = load.options;
export default load.iteration;
