import { joinMemoryCsv, memoryCsv, readMemoryCsv } from '../../../experiments/src/record/memory-csv.js';

test('memoryCsv thins curves out evenly, and readMemoryCsv reads them unchanged', () => {
  const points = Array.from({ length: 600 }, (_, i) => ({ at: i, pid: 7, role: 'main', mib: i + 0.25 }));
  const read = readMemoryCsv(joinMemoryCsv([{ cell: 'a', csv: memoryCsv(points) }])).get('a')!;
  expect(read).toHaveLength(120);
  expect(read[1]).toEqual({ at: 5, pid: 7, role: 'main', mib: 5.3 });
});
