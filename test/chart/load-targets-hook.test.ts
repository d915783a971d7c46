import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chart } from './render.js';

interface Row {
  id: string;
  name: string;
  active: boolean;
}

/** What is active in an n8n that has these load targets, all of them wanted, once it is ready. */
async function activeAfter(inactive: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-hook-'));
  const rows: Row[] = ['1001', '1016', '1017'].map((id) => ({ id, name: `n8n-tuned: ${id}`, active: false }));
  const facts = { prefix: 'n8n-tuned: ', credential: {}, ids: rows.map(({ id }) => id), inactive };
  const Workflow = {
    metadata: { columns: [] },
    find: () => Promise.resolve(rows),
    update: ({ id }: Row, change: Partial<Row>) =>
      Promise.resolve(
        Object.assign(
          rows.find((row) => row.id === id)!,
          change,
        ),
      ),
  };
  process.env.LOAD_TARGETS = facts.ids.join(',');
  try {
    copyFileSync(join(chart, 'files/load-targets/load-targets.js'), join(folder, 'hook.cjs'));
    writeFileSync(join(folder, 'load-targets.json'), JSON.stringify(facts));
    const hook = createRequire(import.meta.url)(join(folder, 'hook.cjs')) as {
      n8n: { ready: (() => Promise<void>)[] };
    };
    await hook.n8n.ready[0]!.call({ dbCollections: { Workflow } });
    return rows.filter(({ active }) => active).map(({ id }) => id);
  } finally {
    delete process.env.LOAD_TARGETS;
    rmSync(folder, { recursive: true });
  }
}

test('activates the load targets, and leaves those inactive that this n8n cannot activate', async () => {
  expect(await activeAfter([])).toEqual(['1001', '1016', '1017']);
  expect(await activeAfter(['1017'])).toEqual(['1001', '1016']);
});
