import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLines, readLogExcerpt, readLogTail } from '../../../capacity/src/core/log-file.js';

const file = join(mkdtempSync(join(tmpdir(), 'log-')), 'n8n.log');

test('readLogTail reads the last 4 KiB of a long log and nothing of a missing one', async () => {
  writeFileSync(file, `${'x'.repeat(5000)}end`);
  const tail = await readLogTail(file);
  expect(tail).toHaveLength(4096);
  expect(tail.endsWith('end')).toBe(true);
  expect(await readLogTail(`${file}.missing`)).toBe('');
});

test('native frames do not hide the message above them', () => {
  const log = [
    'starting',
    'FATAL ERROR: heap out of memory',
    '----- Native stack trace -----',
    ' 1: 0x7f00 node::Abort',
    '',
  ];
  expect(lastLines(log.join('\n'), 1)).toBe('FATAL ERROR: heap out of memory');
});

test('readLogExcerpt names the file', async () => {
  writeFileSync(file, 'one\ntwo\n');
  expect(await readLogExcerpt(file)).toContain('one\ntwo');
  expect(await readLogExcerpt(file)).toContain(file);
});
