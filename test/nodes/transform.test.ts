import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBudget } from '../../nodes/LoadTarget/ceilings/execution';
import { disk, memory } from '../../nodes/LoadTarget/ceilings/process';
import { makeDocument } from '../../nodes/LoadTarget/document';
import { ensureTemporaryFolder } from '../../nodes/LoadTarget/temporaryFolder';
import { ceilings } from '../../nodes/LoadTarget/ceilings/ceiling';
import { proofOf, reachedCeiling, refusedParameter, resetEnvironment, run } from './support/execution';

jest.mock('node:fs/promises', () => ({ ...jest.requireActual('node:fs/promises') }));
const files = jest.requireMock('node:fs/promises');

afterEach(() => {
  resetEnvironment();
  jest.restoreAllMocks();
  expect(memory.taken).toBe(0);
});

// The folder is removed when a process exits, and Jest's does not exit here.
afterAll(() => rmSync(ensureTemporaryFolder(), { recursive: true }));

const transform = (transformMode: string, given: object = {}) => ({
  ...{ operation: 'transform', transformMode, kilobytes: 20, seed: 1 },
  ...(transformMode === 'read' ? { files: 2 } : {}),
  ...given,
});
const sha256Of = (seed: number, index: number, kilobytes: number) =>
  createHash('sha256')
    .update(JSON.stringify(makeDocument(seed, index, kilobytes)))
    .digest('hex');

const identity = expect.objectContaining({ pid: process.pid });
const proof = { operation: 'transform', kilobytes: 20, seed: 1, bytes: 20_480, tookMs: expect.any(Number), identity };

/** The entries of the node's folder: files, and one folder for each set of prepared files. */
const inFolder = () => readdirSync(ensureTemporaryFolder(), { withFileTypes: true });
const preparedSets = () => inFolder().filter((entry) => entry.isDirectory()).length;
const looseFiles = () => inFolder().filter((entry) => entry.isFile()).length;

describe('generate', () => {
  test('proves the resulting document', async () => {
    expect(await proofOf(transform('generate'))).toEqual({ ...proof, mode: 'generate', sha256: sha256Of(1, 0, 20) });
    expect(await proofOf(transform('generate', { kilobytes: '1', seed: '2' }))).toMatchObject({
      ...{ kilobytes: 1, seed: 2, bytes: 1024, sha256: sha256Of(2, 0, 1) },
    });
  });

  test('lets other work run between its steps', async () => {
    const served = jest.fn();
    const timer = setInterval(served, 0);
    await proofOf(transform('generate', { kilobytes: 4096 }));
    clearInterval(timer);
    expect(served).toHaveBeenCalled();
  });
});

describe('write', () => {
  test('writes a file and deletes it', async () => {
    const writeFile = jest.spyOn(files, 'writeFile');
    const sha256 = sha256Of(1, 0, 20);
    const all = await Promise.all([proofOf(transform('write')), proofOf(transform('write'))]);
    expect(all).toEqual([1, 2].map(() => ({ ...proof, mode: 'write', sha256, fileBytes: 20_480 })));
    expect(new Set(writeFile.mock.calls.map(([path]) => path)).size).toBe(2);
    expect([looseFiles(), disk.taken]).toEqual([0, 0]);
  });

  test('leaves none when it fails', async () => {
    jest.spyOn(files, 'stat').mockRejectedValueOnce(new Error('disk on fire'));
    await expect(proofOf(transform('write'))).rejects.toThrow('disk on fire');
    expect([looseFiles(), disk.taken]).toEqual([0, 0]);
  });

  test('leaves none when the execution is stopped', async () => {
    const execution = new AbortController();
    const write = files.writeFile;
    const spy = jest.spyOn(files, 'writeFile').mockImplementation(async (...of: unknown[]) => {
      await write(...of);
      execution.abort();
      await new Promise((resolve) => setTimeout(resolve, 15));
    });
    const parameters = [transform('write'), transform('write')];
    expect(await run({ parameters, signal: execution.signal })).toEqual([]);
    expect(spy).toHaveBeenCalledTimes(1);
    expect([looseFiles(), disk.taken]).toEqual([0, 0]);
  });
});

describe('read', () => {
  test('reads one of the prepared files', async () => {
    const read = await proofOf(transform('read', { files: 3 }));
    const { file } = read;
    expect([0, 1, 2]).toContain(file);
    expect(read).toEqual({ ...proof, mode: 'read', files: 3, file, sha256: sha256Of(1, file, 20) });
  });

  test('prepares files once, also for simultaneous executions', async () => {
    const writeFile = jest.spyOn(files, 'writeFile');
    const parameters = [transform('read', { files: 4, seed: 50 })];
    await Promise.all(Array.from({ length: 5 }, () => run({ parameters })));
    await run({ parameters });
    expect(writeFile).toHaveBeenCalledTimes(4);
  });

  test('another execution takes over if the one that prepares fails', async () => {
    const broken = jest.spyOn(files, 'writeFile').mockRejectedValueOnce(new Error('disk on fire'));
    const taken = disk.taken;
    const parameters = [transform('read', { files: 4, seed: 51 })];
    const all = await Promise.allSettled([run({ parameters }), run({ parameters }), run({ parameters })]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(broken).toHaveBeenCalledTimes(5);
    expect(disk.taken - taken).toBe(80 / 1024);
  });

  test('an execution that waits for the preparation ends when it is stopped, and when its time is used up', async () => {
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const write = files.writeFile;
    jest.spyOn(files, 'writeFile').mockImplementation(async (...of: unknown[]) => {
      await held;
      await write(...of);
    });
    const parameters = [transform('read', { seed: 52 })];
    const preparing = run({ parameters });
    const execution = new AbortController();
    const stopped = run({ parameters, signal: execution.signal });
    const executionId = 'late';
    findBudget(executionId).time.spend(59_990);
    await expect(run({ parameters, executionId })).rejects.toMatchObject(reachedCeiling(ceilings.seconds));
    execution.abort();
    expect(await stopped).toEqual([]);
    go();
    expect(await preparing).toHaveLength(1);
  });

  test('prepares files again if they were deleted', async () => {
    const parameters = transform('read', { files: 1, seed: 53 });
    await proofOf(parameters);
    const taken = disk.taken;
    rmSync(ensureTemporaryFolder(), { recursive: true });
    await expect(proofOf(parameters)).rejects.toThrow('ENOENT');
    expect(await proofOf(parameters)).toMatchObject({ sha256: sha256Of(53, 0, 20) });
    expect(disk.taken).toBe(taken);
  });

  test('changed files show in the proof', async () => {
    const parameters = transform('read', { files: 1, seed: 54 });
    await proofOf(parameters);
    const set = Math.max(...inFolder().map(({ name }) => Number(name.slice('set-'.length))));
    writeFileSync(join(ensureTemporaryFolder(), `set-${set}`, '0.json'), '{"other": 1}');
    expect(await proofOf(parameters)).toMatchObject({ bytes: 11 });
  });
});

describe('the ceilings', () => {
  test('of disk: unused sets make room, the longest unused first', async () => {
    process.env.N8N_LOAD_TARGET_MAX_DISK_MEGABYTES = '0.1';
    const writeFile = jest.spyOn(files, 'writeFile');
    const read = (seed: number) => proofOf(transform('read', { files: 2, seed }));
    await read(60);
    await read(61);
    await read(60);
    await read(62);
    expect(preparedSets()).toBe(2);
    expect(disk.taken).toBe(80 / 1024);
    writeFile.mockClear();
    await read(60);
    expect(writeFile).not.toHaveBeenCalled();
    await read(61);
    expect(writeFile).toHaveBeenCalledTimes(2);
  });

  test('of disk: an execution that had no time to read keeps no space', async () => {
    process.env.N8N_LOAD_TARGET_MAX_DISK_MEGABYTES = '0.05';
    const read = (seed: number) => transform('read', { files: 2, seed });
    await proofOf(read(65));
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.02';
    const executionId = 'no time to read';
    await run({ parameters: [{ operation: 'wait', milliseconds: 20 }], executionId });
    await expect(run({ parameters: [read(65)], executionId })).rejects.toMatchObject(reachedCeiling(ceilings.seconds));
    delete process.env.N8N_LOAD_TARGET_MAX_SECONDS;
    expect(await proofOf(read(66))).toMatchObject({ files: 2 });
  });

  test('of disk: an unused set makes room for a file to write, too', async () => {
    process.env.N8N_LOAD_TARGET_MAX_DISK_MEGABYTES = '0.05';
    await proofOf(transform('read', { files: 2, seed: 63 }));
    await proofOf(transform('write'));
    expect([preparedSets(), disk.taken]).toEqual([0, 0]);
  });

  test('of memory: eight times the document', async () => {
    process.env.N8N_LOAD_TARGET_MAX_MEGABYTES = '1';
    await proofOf(transform('generate', { kilobytes: 128 }));
    await expect(proofOf(transform('generate', { kilobytes: 256 }))).rejects.toMatchObject(
      reachedCeiling(ceilings.megabytes, { requested: 2, taken: 0 }),
    );
  });

  test('of time: work ends between steps', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.001';
    await expect(proofOf(transform('generate', { kilobytes: 4096 }))).rejects.toMatchObject(
      reachedCeiling(ceilings.seconds),
    );
    await expect(proofOf(transform('read', { kilobytes: 4096, seed: 64 }))).rejects.toMatchObject(
      reachedCeiling(ceilings.seconds),
    );
  });
});

test.each([
  ['generate', { kilobytes: 0 }, 'Kilobytes'],
  ['generate', { kilobytes: 16_385 }, 'Kilobytes'],
  ['generate', { seed: 0.5 }, 'Seed'],
  ['read', { files: 0 }, 'Files'],
  ['read', { files: 101 }, 'Files'],
  ['delete', {}, 'Mode'],
])('%s refuses %j', async (mode, given, parameter) => {
  await expect(proofOf(transform(mode, given))).rejects.toMatchObject(refusedParameter(parameter));
});

test('read refuses files above the ceiling of the disk', async () => {
  const running = proofOf(transform('read', { files: 17, kilobytes: 16_384 }));
  await expect(running).rejects.toMatchObject(reachedCeiling(ceilings.diskMegabytes));
});
