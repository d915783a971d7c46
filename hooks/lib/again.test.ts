import { createRequire } from 'node:module';

const { isPassing } = createRequire(import.meta.url)('./again.js') as { isPassing: (error: unknown) => boolean };

const failure = (code: string, message = '') => Object.assign(new Error(message), { code });

describe('an error of the database', () => {
  it.each([
    failure('25006', 'cannot execute UPDATE in a read-only transaction'),
    failure('58030'),
    failure('55P03'),
    failure('ENETUNREACH'),
    new Error('Timed out after 30000ms waiting for database connection recovery'),
    new Error('Cannot use a pool after calling end on the pool'),
    new Error('Client was closed and is not queryable'),
  ])('may be taken later after %p', (error) => expect(isPassing(error)).toBe(true));

  it.each([
    ['a stop of PostgreSQL', failure('57P01', 'terminating connection due to administrator command')],
    ['a lost connection', failure('08006')],
    ['no connection left', failure('53300', 'sorry, too many clients already')],
    ['a busy SQLite', failure('SQLITE_BUSY: database is locked')],
    ['a full disk, wrapped by TypeORM', Object.assign(new Error('x'), { driverError: failure('53100') })],
    ['an error of the driver', new Error('Connection terminated unexpectedly')],
    ['no connection of the pool', new Error('timeout exceeded when trying to connect')],
  ])('may be taken later: %s', (_, error) => expect(isPassing(error)).toBe(true));

  it.each([
    ['a missing table', failure('42P01')],
    ['a character that text cannot hold', failure('22P05')],
    ['a mistake in the code', new TypeError('x is undefined')],
    ['nothing', undefined],
  ])('would fail again: %s', (_, error) => expect(isPassing(error)).toBe(false));
});
