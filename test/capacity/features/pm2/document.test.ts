import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../../../capacity/src/core/paths.js';
import { insertReload, type ReloadRecord } from '../../../integration/pm2/document.js';

test('docs/pm2.md matches its record', () => {
  const record = JSON.parse(readFileSync(join(repositoryFolder, 'docs/pm2/reload.json'), 'utf8')) as ReloadRecord;
  const document = readFileSync(join(repositoryFolder, 'docs/pm2.md'), 'utf8');
  expect(document).toContain(`n8n ${record.versions.n8n}, PM2 ${record.versions.pm2}`);
  expect(document).toBe(insertReload(document, record));
});
