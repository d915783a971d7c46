import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { s3Address } from '../../../../capacity/src/record/s3/address.js';
import { mirrorOfRecord, mirrorOfRun } from '../../../../capacity/src/record/s3/place.js';
import { Recorder } from '../../../../capacity/src/record/recorder.js';
import { buildGoodStep, buildRunRecord } from '../../support/index.js';
import { S3Stub, type Conditional } from '../../../support/s3-stub.js';

const scratch = mkdtempSync(join(tmpdir(), 's3-two-'));
afterAll(() => rmSync(scratch, { recursive: true }));
let s3: S3Stub;
afterEach(() => s3.close());

const address = s3Address('s3://runs/run', { s3PathStyle: true });
let count = 0;

/** A run that has begun to record, with its mirror. */
async function begun(startedAt: string) {
  const folder = join(scratch, `${++count}`);
  const mirror = await mirrorOfRun(address, folder, () => {});
  const recorder = await Recorder.create(folder);
  await recorder.run(buildRunRecord({ startedAt }));
  writeFileSync(join(folder, 'steps', '00.csv.gz'), startedAt);
  await recorder.step(buildGoodStep({ k6: { exitCode: 0, cpuShare: 0.1, samples: 'steps/00.csv.gz' } }));
  return { mirror, folder };
}

async function stub(conditional?: Conditional): Promise<void> {
  s3 = await S3Stub.start(conditional);
  Object.assign(process.env, s3.environment);
}
const text = (name: string) => String(s3.objects.get(`/runs/run/${name}`));

test('of two runs that begin at once with one prefix, the second copies nothing', async () => {
  await stub();
  const [first, second] = [await begun('first'), await begun('second')];
  await first.mirror.end();
  await expect(second.mirror.end()).rejects.toThrow(UsageError);
  expect(JSON.parse(text('run.json'))).toMatchObject({ startedAt: 'first' });
  expect(text('steps/00.csv.gz')).toBe('first');
});

test('an upload whose answer was lost is recognized', async () => {
  await stub();
  const { mirror, folder } = await begun('first');
  const again = await mirrorOfRun(address, folder, () => {});
  await mirror.end();
  await again.end();
  expect(JSON.parse(text('run.json'))).toMatchObject({ startedAt: 'first' });
});

test.each(['ignored', 'not-implemented'] as const)(
  'a server by which the condition is %s takes records',
  async (how) => {
    await stub(how);
    await (await begun('first')).mirror.end();
    expect(JSON.parse(text('run.json'))).toMatchObject({ startedAt: 'first' });
    expect(text('steps/00.csv.gz')).toBe('first');
  },
);

describe('a folder of several runs is continued', () => {
  const several = s3Address('s3://runs/several', { s3PathStyle: true });
  let folder: string;
  const run = (name: string) => join(folder, 'runs', name);
  const put = (name: string, file: string, content: string) => {
    mkdirSync(run(name), { recursive: true });
    writeFileSync(join(run(name), file), content);
  };
  const mirror = () => mirrorOfRecord('confirm')(several, folder, () => {});
  beforeEach(async () => {
    await stub();
    folder = join(scratch, `${++count}`);
    put('01-ack', 'steps.ndjson', '{"index":0}\n');
    writeFileSync(join(folder, 'confirm.json'), '{}');
  });

  test('though a run that was interrupted has begun anew, or been removed', async () => {
    await (await mirror()).end();
    rmSync(run('01-ack'), { recursive: true });
    await expect(mirror()).resolves.toBeDefined();
    put('01-ack', 'steps.ndjson', '{"index":0,"other":true}\n');
    await (await mirror()).end();
    expect(String(s3.objects.get('/runs/several/runs/01-ack/steps.ndjson'))).toContain('other');
  });

  test.each(['verdict.json', 'cell.json'])('not where a run that ended with %s is missing here', async (end) => {
    put('01-ack', end, '{}');
    await (await mirror()).end();
    rmSync(run('01-ack'), { recursive: true });
    await expect(mirror()).rejects.toThrow(/runs\/01-ack\/steps\.ndjson/);
  });
});
