import { n8nCapacity } from './commands/all.js';
import { abortOnSignals } from './commands/interruption.js';
import { runProgram } from './commands/program.js';

const interruption = abortOnSignals();
await runProgram(n8nCapacity(interruption), interruption);
