/**
 * stub-guard.mjs FOLDER: starts a container with a child, a logged command, k6, and a process that it then reports as ended to
 * the guard. All of them are scripts in FOLDER. Prints their ids as JSON once all run, and waits.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { releaseFromGuard, guardCommand } from '../../../capacity/dist/core/guard.js';
import { runLogged } from '../../../capacity/dist/core/run-logged.js';
import { createLocalK6 } from '../../../capacity/dist/load/k6.js';
import { EventLog } from '../../../capacity/dist/model/deployment.js';
import { Supervised } from '../../../capacity/dist/provision/process/supervise.js';

const [folder] = process.argv.slice(2);
const file = (name) => join(folder, name);
const environment = { PATH: process.env.PATH };
const launch = { name: 'main-0', component: 'main', cwd: folder, logFile: file('log'), graceSeconds: 1, environment };
const script = file('endless');
new Supervised({ ...launch, command: script, args: ['container', 'child'] }, new EventLog()).start();
void runLogged(script, ['command'], { cwd: folder, log: file('log'), signal: new AbortController().signal });
const k6 = await createLocalK6(file('k6'));
const load = { parts: [{ workload: 'webhook-ack', weight: 1 }] };
k6.start({ load, rate: 1, arrivals: { kind: 'even' }, endpoints: [], folder, csv: 'x', token: '' });
const { file: shell, args, guard } = guardCommand(script, ['ended']);
const ended = spawn(shell, args, { cwd: folder, detached: true, stdio: ['ignore', 'ignore', 'ignore', guard] });

const names = ['container', 'child', 'command', 'load', 'ended'];
while (!names.every((name) => existsSync(file(name)))) await sleep(20);
releaseFromGuard(ended.pid);
console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, Number(readFileSync(file(name), 'utf8'))]))));
setInterval(() => {}, 1000);
