import { workload } from './lib/workload.js';

const load = workload('memory-hog');

export const options = load.options;
export default load.iteration;
