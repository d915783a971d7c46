import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expandCells } from '../../../experiments/src/spec/cells.js';
import { pagesFolder } from '../../../experiments/src/paths.js';
import { publishedExperiments, renderedPages } from '../../../experiments/src/report/publish.js';

test('docs/experiments equals the rendered records; if it differs, run: npm run pages --workspace experiments', async () => {
  for (const [name, text] of await renderedPages()) {
    const file = join(pagesFolder, name);
    expect({ name, there: existsSync(file) }).toEqual({ name, there: true });
    expect({ name, text: await readFile(file, 'utf8') }).toEqual({ name, text });
  }
});

test('each recorded cell is still defined by its file', async () => {
  for (const { experiment, record } of await publishedExperiments()) {
    if (!record) continue;
    // A cell that was added to the file since then is "not measured yet" on the page.
    const asked = new Map(expandCells(experiment, record.grid).map(({ id, digest }) => [id, digest]));
    expect(record.cells.map(({ id }) => [id, asked.get(id)])).toEqual(
      record.cells.map(({ id, digest }) => [id, digest]),
    );
  }
});
