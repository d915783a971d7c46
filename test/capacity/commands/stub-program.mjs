/**
 * stub-program.mjs FOLDER HOW [DEADLINE_MS]: a command line that prints progress until it is interrupted or 1 s has passed,
 * then takes 300 ms to tear down, which the file `ended` shows. HOW: `runs`, `throws`, `rejects`, or `hangs` in its teardown.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { abortOnSignals } from '../../../capacity/dist/commands/interruption.js';
import { runProgram } from '../../../capacity/dist/commands/run-program.js';

const [folder, how, deadline] = process.argv.slice(2);
const interruption = abortOnSignals(...(deadline ? [Number(deadline)] : []));
const program = new Command('stub').allowExcessArguments().action(async () => {
  const progress = setInterval(() => process.stderr.write('progress\n'), 10);
  if (how === 'throws') setTimeout(fail, 50);
  if (how === 'rejects') void Promise.reject(new Error('rejected'));
  writeFileSync(join(folder, 'started'), '');
  try {
    await sleep(1000, undefined, { signal: interruption }).catch(() => interruption.throwIfAborted());
  } finally {
    clearInterval(progress);
    await sleep(how === 'hangs' ? 60_000 : 300);
    writeFileSync(join(folder, 'ended'), '');
  }
  console.log('result');
});
function fail() {
  throw new Error('thrown');
}
await runProgram(program, interruption);
