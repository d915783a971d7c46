import { workload } from './lib/workload.js';

const load = workload('event-loop-block');

export const options = load.options;
export default load.iteration;
