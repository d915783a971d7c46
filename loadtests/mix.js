import { mix } from './lib/workload.js';

const load = mix();

export const options = load.options;
export default load.iteration;
