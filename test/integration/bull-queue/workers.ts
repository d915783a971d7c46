import type { OneServer } from './one-server.js';
import { addJob, runForJson, sleep, WORKERS } from './support.js';

/** Get Workers. */
export function testWorkers(on: OneServer): void {
  test('Get Workers lists each process that takes jobs, and no process that only adds or watches them', async () => {
    const [adding, one, two] = [on.newQueue(), on.newQueue(), on.newQueue()];
    await addJob(adding, '1', { delay: 60_000 });
    expect(await runForJson(on.fields, WORKERS)).toEqual([
      { queue: 'bull:jobs', workers: 0, note: expect.any(String) },
    ]);
    void one.process('job', 5, () => Promise.resolve());
    void two.process('job', 5, () => Promise.resolve());
    await sleep(300);
    const workers = await runForJson(on.fields, WORKERS);
    expect(workers).toHaveLength(2);
    expect(workers[0]).toEqual({
      name: 'bull:am9icw==',
      address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      ...{ connectedSeconds: expect.any(Number), idleSeconds: expect.any(Number) },
    });
    expect(new Set(workers.map(({ address }) => address)).size).toBe(2);
  });
}
