/** stub-network.mjs: starts itself again in its own network namespace. The second signal ends it, like the command line. */
import { terminalProgress } from 'n8n-capacity';
import { runInOwnNetwork, isInOwnNetwork } from '../../experiments/dist/arrangement/network.js';

let signals = 0;
function onSignal() {
  signals += 1;
  if (signals === 2) process.exit(130);
  if (isInOwnNetwork()) console.log('asked to end');
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal);

if (isInOwnNetwork()) {
  process.on('exit', () => console.log('ended in order'));
  setInterval(() => {}, 1000);
  console.log('inside');
} else {
  process.exitCode = await runInOwnNetwork(terminalProgress(true));
}
