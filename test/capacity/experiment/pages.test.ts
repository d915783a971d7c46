import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { joinCsv, memoryCsv, readMemoryCsv } from '../../../capacity/src/experiment/memory-csv.js';
import { cellsOf } from '../../../capacity/src/experiment/cells.js';
import { pagesFolder, publishedExperiments, renderedPages } from '../../../capacity/src/experiment/publish.js';

test('docs/experiments is what its records say: else n8n-capacity experiment FILE --no-run --publish', async () => {
  for (const [name, text] of await renderedPages()) {
    const file = join(pagesFolder, name);
    expect({ name, there: existsSync(file) }).toEqual({ name, there: true });
    expect({ name, text: await readFile(file, 'utf8') }).toEqual({ name, text });
  }
});

test('each record is of what its file asks today', async () => {
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

test('curves are thinned out evenly, and read as they were written', () => {
  const points = Array.from({ length: 600 }, (_, i) => ({ at: i, pid: 7, role: 'main', mib: i + 0.25 }));
  const read = readMemoryCsv(joinCsv([{ cell: 'a', csv: memoryCsv(points) }])).get('a')!;
  expect(read).toHaveLength(120);
  expect(read[1]).toEqual({ at: 5, pid: 7, role: 'main', mib: 5.3 });
});
