import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { quoteIdentifier } from '../../../../capacity/src/core/sql.js';
import { postgresCommand, redisCommand } from '../../../../capacity/src/provision/process/databases.js';

const folder = mkdtempSync(join(tmpdir(), 'databases-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a password is one argument of a directive of Redis, whatever it holds', async () => {
  const password = 'a" b\nloadmodule /tmp/x.so\n# ä';
  await redisCommand('redis-server', folder, 6379, { REDIS_PASSWORD: password }, []);
  const lines = readFileSync(join(folder, 'redis.conf'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['bind', 'port', 'dir', 'save', 'daemonize', 'requirepass']);
  const [, quoted] = /^requirepass "(.*)"$/.exec(lines.at(-1)!)!;
  const bytes = [...quoted!.matchAll(/\\x([0-9a-f]{2})/g)].map(([, hex]) => parseInt(hex!, 16));
  expect(Buffer.from(bytes).toString()).toBe(password);
});

test.each([
  ['POSTGRES_DB', "x\nCOPY (SELECT 1) TO PROGRAM 'touch /tmp/planted'"],
  ['POSTGRES_DB', ''],
  ['POSTGRES_USER', 'x\ry'],
  ['POSTGRES_USER', 'u'.repeat(64)],
])('%s is a name of one line: %j', async (variable, value) => {
  const setUp = postgresCommand(
    '/no/postgres',
    join(folder, 'pg'),
    5432,
    { POSTGRES_USER: 'n8n', [variable]: value },
    [],
  );
  await expect(setUp).rejects.toThrow(UsageError);
  expect(readdirSync(folder)).not.toContain('pg');
});

test.each([
  ['n8n', '"n8n"'],
  ['a"; DROP TABLE b; --', '"a""; DROP TABLE b; --"'],
])('the name %s in SQL', (name, sql) => expect(quoteIdentifier(name)).toBe(sql));
