import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import { insertRecovery, type RecoveryRecord } from '../integration/recovery/document.js';

const page = join(repositoryFolder, 'docs/operate/README.md');

test('the figures in docs/operate match the record of checks', async () => {
  const record = JSON.parse(
    readFileSync(join(repositoryFolder, 'docs/operate/recovery.json'), 'utf8'),
  ) as RecoveryRecord;
  const document = readFileSync(page, 'utf8');
  expect(document).toContain(`n8n ${record.n8n}:`);
  expect(await format(insertRecovery(document, record), { ...(await resolveConfig(page)), parser: 'markdown' })).toBe(
    document,
  );
});
