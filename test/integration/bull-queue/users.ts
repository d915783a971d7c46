import type { OneServer } from './one-server.js';
import { addJob, drainParameters, runForFailure, jobsParameters, runForJson, STATS, WORKERS } from './support.js';

/** Tests with Redis users that have few rights. */
export function testUsers(on: OneServer): void {
  const reader = { user: 'reader', password: 'lesen' };

  test('a read-only user is enough', async () => {
    await on.fill();
    const rights = ['~bull:*', '+@read', '+@connection', '+@transaction', '+client|list'];
    await on.redis.acl('SETUSER', 'reader', 'reset', 'on', '>lesen', ...rights);
    const more = [
      ...[
        { operation: 'job', by: 'executionId', id: 'runs' },
        { operation: 'queues', allPrefixes: true },
      ],
      { operation: 'breakdown', maxJobs: 10 },
      { operation: 'reconcile', graceTime: 0, manualHaveJobs: false },
    ];
    for (const parameters of [STATS, jobsParameters('active'), WORKERS, drainParameters(0), ...more]) {
      await runForJson({ ...on.fields, ...reader }, parameters);
    }
  });

  test.each([
    ['+@connection', 'EXISTS'],
    ['+@read +@connection', 'multi'],
    ['+@read +@connection +@transaction -llen', 'llen'],
  ])('one with %s is told what it lacks', async (rights) => {
    await addJob(on.newQueue(), '1');
    await on.redis.acl('SETUSER', 'reader', 'reset', 'on', '>lesen', '~bull:*', ...rights.split(' '));
    const { code, message } = await runForFailure({ ...on.fields, ...reader });
    expect(code).toBe('permission');
    expect(message).toContain('+@read +@connection +@transaction');
  });

  test('a user that may not see other keys', async () => {
    await addJob(on.newQueue(), '1');
    await on.redis.acl('SETUSER', 'reader', 'reset', 'on', '>lesen', '~other:*', '+@all');
    expect((await runForFailure({ ...on.fields, ...reader })).code).toBe('permission');
  });
}
