import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultsFolder } from '../../../../capacity/src/features/faults/folder.js';
import { claimed } from '../../../../capacity/src/record/claim.js';

const place = () => mkdtempSync(join(tmpdir(), 'faults-folder-'));
const give = (path: string) =>
  claimed(
    path,
    () => {},
    new AbortController().signal,
    () => new FaultsFolder(path).giveValues({}),
  );

test('a run begins in an empty folder that it has claimed', async () => {
  await expect(give(place())).resolves.toContain('given.yaml');
});

test('a folder with anything else is refused', async () => {
  const path = place();
  writeFileSync(join(path, 'notes.txt'), '');
  await expect(give(path)).rejects.toThrow(/notes\.txt/);
});
