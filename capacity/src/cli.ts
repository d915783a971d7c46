import { abortOnSignals } from './commands/interruption.js';
import { runProgram } from './commands/run-program.js';
import { createProgram } from './program.js';

const interruption = abortOnSignals();
await runProgram(await createProgram(interruption, process.argv.slice(2)), interruption);
