/**
 * stub-arranged.mjs SERVER ARRANGEMENT PROCESSES FOLDER: two seconds of load on a control server, by the built tool; for
 * iptables in a network namespace of its own. Prints what was seen as one line of JSON.
 */
import { join } from 'node:path';
import { localK6 } from '../../capacity/dist/load/k6.js';
import { planFromOptions } from '../../capacity/dist/plan/from-options.js';
import { readCounts } from '../../capacity/dist/provision/arranged/counts.js';
import { inOwnNetwork, isOwnNetwork } from '../../capacity/dist/provision/arranged/network.js';
import { controlProvisioner } from '../../capacity/dist/provision/control/provisioner.js';
import { readRun, Recorder } from '../../capacity/dist/record/recorder.js';
import { terminalProgress } from '../../capacity/dist/report/progress.js';
import { measure } from '../../capacity/dist/steps/measure.js';
import { ensureK6 } from '../../capacity/dist/tools/go-tools.js';

const [server, arrangement, processes, folder] = process.argv.slice(2);
const counts = join(folder, 'counts');
const progress = terminalProgress(true);
const timing = { warmup: '1s', drain: '1s', timeout: '10s' };
const asked = planFromOptions({ webhook: '/webhook/count?n=5000', clients: '8', ...timing });
const plan = { ...asked, stepSeconds: 2, scriptEnv: { ...asked.scriptEnv, PAUSE: '0' } };

if (arrangement === 'iptables' && !isOwnNetwork()) process.exit(await inOwnNetwork(progress));
const control = { server, arrangement, processes: Number(processes), counts };
const prepared = await controlProvisioner(control).prepare(plan, progress);
const recorder = await Recorder.create(join(folder, 'run'));
const generator = await localK6(await ensureK6(progress));
const started = Date.now();
await measure({ tool: 'test', plan, prepared, generator, recorder, progress });
const { steps, samples } = await readRun(join(folder, 'run'));
const { k6, summary, executions, events } = steps[0];
const served = Object.fromEntries(await readCounts(counts));
const seen = samples.at(-2)?.instances.map(({ name, processes, rssBytes }) => ({ name, processes, rssBytes }));
console.log(
  JSON.stringify({
    k6,
    answered: summary.answered,
    failures: summary.failures,
    executions,
    events,
    served,
    seen,
    seconds: (Date.now() - started) / 1000,
  }),
);
