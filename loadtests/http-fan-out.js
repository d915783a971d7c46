import { workload } from './lib/workload.js';

const load = workload('http-fan-out');

export const options = load.options;
export default load.iteration;
