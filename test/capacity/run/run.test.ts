import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { Recorder } from '../../../capacity/src/record/recorder.js';
import { record } from '../../../capacity/src/run/run.js';
import { buildPlan, buildRunRecord } from '../support/index.js';

test('a folder that holds a run is refused before anything is deployed; only a sweep continues one', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'run-')), 'run');
  await (await Recorder.create(folder)).run(buildRunRecord());
  let deployed = 0;
  const deploy = () => Promise.reject(new Error(`deployed ${++deployed} times`));
  const prepared = { versions: { n8n: '2.41.1' }, record: buildRunRecord().deployment, deploy };
  const request = { tool: 'test', plan: buildPlan(), prepared, folder, progress: terminalProgress(true) };
  await expect(record(request)).rejects.toBeInstanceOf(UsageError);
  expect(deployed).toBe(0);
});
