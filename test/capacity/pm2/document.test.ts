import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../capacity/src/paths.js';
import type { Cost } from '../../integration/pm2/load.js';

test('docs/pm2.md says what the record says', () => {
  const { costs } = JSON.parse(readFileSync(join(repository, 'docs/pm2/reload.json'), 'utf8')) as {
    costs: Record<string, Cost>;
  };
  const document = readFileSync(join(repository, 'docs/pm2.md'), 'utf8').replace(/ +/g, ' ');
  for (const [what, { requests, failed, outageSeconds, p50Ms, maxMs, reloadSeconds }] of Object.entries(costs))
    expect(document).toContain(
      `| ${[what, requests, failed, `${outageSeconds} s`, `${p50Ms} ms`, `${maxMs} ms`, `${reloadSeconds} s`].join(' | ')} |`,
    );
});
