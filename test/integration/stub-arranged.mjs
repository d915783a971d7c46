/**
 * stub-arranged.mjs bare|express|n8n ARRANGEMENT PROCESSES FOLDER
 *
 * Runs two seconds of load with the built tool on a control server or on n8n's webhook processors. To be started in a
 * network namespace of its own, because of iptables. Prints the result as JSON.
 */
import { join } from 'node:path';
import {
  ensureK6,
  createLocalK6,
  measure,
  planFromOptions,
  processProvisioner,
  readRun,
  Recorder,
  terminalProgress,
} from 'n8n-capacity';
import { countProcessTrees } from '../../experiments/dist/arrangement/arrangement.js';
import { readCounts } from '../../experiments/dist/arrangement/counts.js';
import { n8nArrangementHooks } from '../../experiments/dist/arrangement/n8n.js';
import { runInOwnNetwork, isInOwnNetwork } from '../../experiments/dist/arrangement/network.js';
import { controlProvisioner } from '../../experiments/dist/control/provisioner.js';

const [server, arrangement, count, folder] = process.argv.slice(2);
const progress = terminalProgress(true);
if (arrangement === 'iptables' && !isInOwnNetwork()) process.exit(await runInOwnNetwork(progress));

const arranged = { arrangement, processes: Number(count), counts: join(folder, 'counts') };
const isN8n = server === 'n8n';
const queue = ['executions.mode=queue', 'database.type=postgresql', 'worker.replicas=1'];
const driven = isN8n
  ? { workload: ['webhook-ack'], set: [...queue, `webhook.replicas=${countProcessTrees(arranged)}`] }
  : { webhook: '/webhook/count?n=5000' };
const asked = planFromOptions({ ...driven, clients: '8', warmup: '1s', drain: '1s', timeout: '20s' });
const plan = { ...asked, stepSeconds: 2, scriptEnv: { ...asked.scriptEnv, PAUSE: '0' } };
const provisioner = isN8n
  ? processProvisioner(n8nArrangementHooks(arranged))
  : controlProvisioner({ server, ...arranged });

const prepared = await provisioner.prepare(plan, progress);
const recorder = await Recorder.create(join(folder, 'run'));
const generator = await createLocalK6(await ensureK6(progress));
await measure({ tool: 'test', plan, prepared, generator, recorder, progress });

const { run, steps, samples } = await readRun(join(folder, 'run'));
const served = Object.fromEntries(await readCounts(arranged.counts));
const instances = samples.find((sample) => sample.generator)?.instances;
console.log(JSON.stringify({ deployment: run.deployment, step: steps[0], served, instances }));
