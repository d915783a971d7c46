import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cellsOf } from '../../../experiments/src/spec/cells.js';
import { pagesFolder } from '../../../experiments/src/paths.js';
import { publishedExperiments, renderedPages } from '../../../experiments/src/report/publish.js';

test('docs/experiments is rendered from its records; if not: npm run pages --workspace experiments', async () => {
  for (const [name, text] of await renderedPages()) {
    const file = join(pagesFolder, name);
    expect({ name, there: existsSync(file) }).toEqual({ name, there: true });
    expect({ name, text: await readFile(file, 'utf8') }).toEqual({ name, text });
  }
});

test('each record is one of the cells that its file asks for today', async () => {
  for (const { experiment, record } of await publishedExperiments()) {
    if (!record) continue;
    const recorded = new Map(record.cells.map(({ id, digest }) => [id, digest]));
    // A machine without a Kubernetes has no record of what is on one.
    const asked = cellsOf(experiment, record.grid).filter(
      ({ id, part }) => part.on !== 'kubernetes' || recorded.has(id),
    );
    expect(recorded).toEqual(new Map(asked.map(({ id, digest }) => [id, digest])));
  }
});
