import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../capacity/src/core/lock.js';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'lock');
const options = { onWait: () => {}, taken: () => new Error('taken') };

test('withLock gives up after its wait, and releases the lock when its work has ended or failed', async () => {
  await withLock(path, options, () =>
    expect(withLock(path, { ...options, seconds: 0.3 }, () => Promise.resolve())).rejects.toThrow('taken'),
  );
  await expect(withLock(path, options, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await withLock(path, { ...options, seconds: 0 }, () => Promise.resolve('free'))).toBe('free');
});

test('withLock throws the error of the system when the lock cannot be created', async () =>
  expect(withLock(join(folder, 'nowhere', 'lock'), options, () => Promise.resolve())).rejects.toMatchObject({
    code: 'ENOENT',
  }));
