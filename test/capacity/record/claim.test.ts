import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimed } from '../../../capacity/src/record/claim.js';

const scratch = mkdtempSync(join(tmpdir(), 'claim-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const { signal } = new AbortController();

test('two runs do not record into one folder at once: the second waits, and says so', async () => {
  const folder = join(scratch, 'shared');
  const order: string[] = [];
  let end = () => {};
  let first = Promise.resolve();
  await new Promise<void>((begun) => {
    first = claimed(
      folder,
      () => {},
      signal,
      async () => {
        order.push('first begins');
        begun();
        await new Promise<void>((resolve) => (end = resolve));
        order.push('first ends');
      },
    );
  });
  let second = Promise.resolve();
  const said = await new Promise<string>((waits) => {
    second = claimed(folder, waits, signal, () => Promise.resolve(void order.push('second')));
  });
  expect(said).toContain(folder);
  end();
  await Promise.all([first, second]);
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});

test('Ctrl-C ends the wait', async () => {
  const folder = join(scratch, 'interrupted');
  const interruption = new AbortController();
  await claimed(
    folder,
    () => {},
    signal,
    async () => {
      const second = claimed(
        folder,
        () => interruption.abort(new Error('stop')),
        interruption.signal,
        () => Promise.reject(new Error('it began')),
      );
      await expect(second).rejects.toThrow('stop');
    },
  );
});

test('a run that is refused leaves no folder, and one that records keeps it', async () => {
  const folder = join(scratch, 'results', 'run');
  await expect(
    claimed(
      folder,
      () => {},
      signal,
      () => Promise.reject(new Error('refused')),
    ),
  ).rejects.toThrow('refused');
  expect(existsSync(join(scratch, 'results'))).toBe(false);
  await claimed(
    folder,
    () => {},
    signal,
    () => Promise.resolve(writeFileSync(join(folder, 'run.json'), '{}')),
  );
  expect(existsSync(join(folder, 'run.json'))).toBe(true);
  const empty = join(scratch, 'empty');
  mkdirSync(empty);
  await claimed(
    empty,
    () => {},
    signal,
    () => Promise.resolve(),
  );
  expect(existsSync(empty)).toBe(true);
});
