import { accountedLoad } from './lib/accounted.js';

const load = accountedLoad('faults', '/webhook/n8n-tuned-faults');

export const options = load.options;
export default load.iteration;
