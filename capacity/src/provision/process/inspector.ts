import { open, stat } from 'node:fs/promises';
import { WebSocket } from 'ws';
import { LOOPBACK } from '../../core/loopback.js';
import { cpuProfileSchema, type CpuProfile } from '../../model/profile.js';
import { SAMPLING_MICROS } from '../../observe/cpu-profile.js';
import { waitUntil } from '../../core/wait-until.js';

/** A process under full load answers late. */
const ANSWER_MS = 30_000;
const LISTENING_SECONDS = 15;

/**
 * Arguments of Node with which its inspector, once asked for by SIGUSR1, listens on a free port of the loopback address. Until
 * then it does not run.
 */
export const INSPECTABLE = [`--inspect-port=${LOOPBACK}:0`];

/** A profile that is being taken. */
export interface RunningProfile {
  /** Ends it and the inspector. */
  stop(): Promise<CpuProfile>;
}

/**
 * Starts the inspector of a Node process that was started with `INSPECTABLE`, and a CPU profile in it.
 * @param logFile where the process writes, and so announces the inspector's address
 * @throws Error when the inspector does not answer
 */
export async function startProfile(pid: number, logFile: string): Promise<RunningProfile> {
  const { size } = await stat(logFile);
  process.kill(pid, 'SIGUSR1');
  const address = await waitUntil(() => announced(logFile, size), { seconds: LISTENING_SECONDS, everyMs: 100 });
  if (!address) throw new Error(`the inspector of process ${pid} did not start within ${LISTENING_SECONDS} s`);
  const session = await Session.open(address);
  try {
    await session.send('Profiler.enable');
    await session.send('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS });
    await session.send('Profiler.start');
  } catch (error) {
    session.close();
    throw error;
  }
  return { stop: () => stopProfile(session) };
}

async function stopProfile(session: Session): Promise<CpuProfile> {
  try {
    const { profile } = await session.send('Profiler.stop');
    const parsed = cpuProfileSchema.parse(profile);
    await session.send('Runtime.evaluate', { expression: CLOSE });
    return parsed;
  } finally {
    session.close();
  }
}

/** Anything that reaches the inspector can run code in n8n, so it is closed, after this answer has been sent. Node 18 has no getBuiltinModule. */
const CLOSE = `setTimeout(() => (process.getBuiltinModule?.('inspector') ?? process.mainModule.require('inspector')).close(), 100), 0`;

/** The address that Node has written since that place in the log; undefined if it has not yet. */
async function announced(logFile: string, from: number): Promise<string | undefined> {
  const file = await open(logFile);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(Math.max(0, size - from)), 0, size - from, from);
    return /Debugger listening on (ws:\/\/127\.0\.0\.1:\d+\/[\w-]+)/.exec(buffer.toString())?.[1];
  } finally {
    await file.close();
  }
}

/** A connection that speaks the Chrome DevTools Protocol. */
class Session {
  private next = 1;
  private lost: Error | undefined;
  private readonly waiting = new Map<number, { resolve: (value: Answer) => void; reject: (error: Error) => void }>();

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.receive(data.toString()));
    const lost = () => this.fail(new Error('the process ended, or its inspector closed the connection'));
    socket.on('close', lost);
    socket.on('error', lost);
  }

  static open(address: string): Promise<Session> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 2 ** 29 });
      socket.once('open', () => resolve(new Session(socket)));
      socket.once('error', reject);
    });
  }

  send(method: string, params: object = {}): Promise<Answer> {
    if (this.lost) return Promise.reject(this.lost);
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`the inspector did not answer ${method} within ${ANSWER_MS / 1000} s`));
      }, ANSWER_MS);
      const settled =
        <T>(done: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          done(value);
        };
      this.waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.socket.terminate();
  }

  private receive(text: string): void {
    const { id, result, error } = JSON.parse(text) as { id?: number; result?: Answer; error?: { message: string } };
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    if (!waiting) return;
    this.waiting.delete(id!);
    if (error) waiting.reject(new Error(`the inspector refuses: ${error.message}`));
    else waiting.resolve(result ?? {});
  }

  private fail(error: Error): void {
    this.lost = error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

type Answer = Record<string, unknown>;
