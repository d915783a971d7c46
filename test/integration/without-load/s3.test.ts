import type { RunConclusion } from '../../../capacity/src/model/verdict.js';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { Interrupted, UsageError } from '../../../capacity/src/core/errors.js';
import { repository } from '../../../capacity/src/core/paths.js';
import { configurations } from '../../../capacity/src/plan/configurations.js';
import { s3Address } from '../../../capacity/src/record/s3/address.js';
import type { Mirror } from '../../../capacity/src/record/s3/mirror.js';
import { localCopy, mirrorOfRun, mirrorOfSweep, withCopies } from '../../../capacity/src/record/s3/place.js';
import { readRun, Recorder } from '../../../capacity/src/record/recorder.js';
import { DIMENSIONS, recordSweep } from '../../capacity/recommend/recorded.js';
import { goodStep, runRecord } from '../../capacity/records.js';
import { eventually } from '../../cluster/support/eventually.js';
import { S3Server } from '../../support/s3-server.js';
import { BIN, LENIENT } from '../cli.js';

// The first run builds the server.
jest.setTimeout(600_000);

let server: S3Server;
let bucket: string;
beforeAll(async () => {
  server = await S3Server.start();
  bucket = server.bucket('runs');
  Object.assign(process.env, server.environment);
});
afterAll(() => server?.remove());

const scratch = mkdtempSync(join(tmpdir(), 's3-test-'));
afterAll(() => rmSync(scratch, { recursive: true }));

let count = 0;
/** A place in the bucket, and a folder, that no other test has. */
function place() {
  const name = `run-${++count}`;
  return { url: `s3://runs/${name}`, folder: join(scratch, name), objects: join(bucket, name) };
}
const soon = (check: () => void) =>
  eventually('what is expected in S3', 60, async () => {
    check();
    return true;
  });
const addressOf = (url: string) => s3Address(url, {});

const said: string[] = [];
const mirrors: Mirror[] = [];
async function recorded(folder: string, mirror: Mirror): Promise<Recorder> {
  mirrors.push(mirror);
  mirror.start();
  const recorder = await Recorder.create(folder);
  await recorder.run(RUN);
  return recorder;
}
const RUN = runRecord();
afterEach(async () => {
  for (const mirror of mirrors.splice(0)) await mirror.end().catch(() => {});
  said.length = 0;
  await server.start();
});

const cli = (args: string[], env: Record<string, string | undefined> = {}) =>
  execa(process.execPath, [BIN, ...args], { reject: false, stdin: 'ignore', env, cwd: scratch });

/** k6's samples of a step, with the step that refers to them. */
async function step(recorder: Recorder, index: number): Promise<void> {
  const samples = `steps/0${index}-webhook-ack.csv.gz`;
  writeFileSync(join(recorder.folder, samples), `samples of step ${index}`);
  await recorder.step(goodStep({ index, k6: { exitCode: 0, cpuShare: 0.1, samples } }));
}

test('a run is in S3 as it comes, and is judged from there', async () => {
  const { url, folder, objects } = place();
  const recorder = await recorded(folder, await mirrorOfRun(addressOf(url), folder, (line) => said.push(line)));
  await step(recorder, 0);
  await soon(() => expect(readFileSync(join(objects, 'steps.ndjson'), 'utf8').split('\n')).toHaveLength(2));
  expect(readFileSync(join(objects, 'steps', '00-webhook-ack.csv.gz'), 'utf8')).toBe('samples of step 0');

  writeFileSync(join(folder, 'steps', '01-webhook-ack.csv.gz'), 'k6 still writes');
  await recorder.sample({ at: 1, instances: [] });
  await soon(() => expect(existsSync(join(objects, 'samples.ndjson'))).toBe(true));
  expect(existsSync(join(objects, 'steps', '01-webhook-ack.csv.gz'))).toBe(false);

  await step(recorder, 1);
  await mirrors[0]!.end();
  expect(said).toEqual([]);
  expect(readdirSync(join(objects, 'steps'))).toHaveLength(2);
  const { exitCode, stdout, stderr } = await cli(['report', url, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ verdict: { verdict: 'PASS' } });
});

test('a validation of real n8n is recorded, and judged again as it was', async () => {
  const { url, objects } = place();
  const load = ['--workload', 'webhook-ack', '--rates', '6/s', '--step-duration', '8s', ...LENIENT];
  const { exitCode, stdout, stderr } = await cli(
    ['validate', '-o', url, '--json', '--s3-endpoint', server.url, ...load],
    {
      AWS_ENDPOINT_URL_S3: undefined,
    },
  );
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  for (const name of [
    'run.json',
    'steps.ndjson',
    'samples.ndjson',
    'report.html',
    'values.recommended.yaml',
    'logs',
    'steps',
  ])
    expect(existsSync(join(objects, name))).toBe(true);
  const again = await cli(['report', url, '--json']);
  const verdict = (text: string) => (JSON.parse(text) as RunConclusion).verdict;
  expect(verdict(again.stdout)).toEqual(verdict(stdout));
  const everything = readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(everything.join('\n')).not.toContain(server.environment.AWS_SECRET_ACCESS_KEY);
});

test('a server that dies and comes back is written to again; nothing is lost', async () => {
  const { url, folder, objects } = place();
  const recorder = await recorded(folder, await mirrorOfRun(addressOf(url), folder, (line) => said.push(line)));
  await soon(() => expect(existsSync(join(objects, 'run.json'))).toBe(true));
  await server.crash();
  await step(recorder, 0);
  await soon(() => expect(said.join('\n')).toMatch(/ECONNREFUSED.* It is recorded in .*, and tried again/));
  await server.start();
  await soon(() => expect(said.at(-1)).toContain('can be written again'));
  await step(recorder, 1);
  await mirrors[0]!.end();
  expect((await readRun(await localCopy(url, {}))).steps.map((s) => s.index)).toEqual([0, 1]);
});

test('a server that stays away is one error with what to do; the record is whole, and goes there later', async () => {
  const { url, folder, objects } = place();
  const mirror = await mirrorOfRun(addressOf(url), folder, (line) => said.push(line));
  const recorder = await recorded(folder, mirror);
  await step(recorder, 0);
  await server.crash();
  await expect(mirror.end()).rejects.toThrow(
    `The whole record is in ${folder}; when that is mended: n8n-capacity upload ${folder} ${url}`,
  );
  expect((await readRun(folder)).steps).toHaveLength(1);
  await server.start();
  const { exitCode, stderr } = await cli(['upload', folder, url]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(readFileSync(join(objects, 'steps.ndjson'))).toEqual(readFileSync(join(folder, 'steps.ndjson')));
});

test('a large file that grows is not written again and again', async () => {
  const { url, folder, objects } = place();
  const recorder = await recorded(folder, await mirrorOfRun(addressOf(url), folder, (line) => said.push(line)));
  const samples = join(folder, 'samples.ndjson');
  const line = `${JSON.stringify({ at: 1, instances: [], generator: { cpuSeconds: 1, rssBytes: 1 } })}\n`;
  writeFileSync(samples, line.repeat(10_000));
  const size = () => readFileSync(join(objects, 'samples.ndjson')).length;
  await soon(() => expect(size()).toBe(line.length * 10_000));
  // It grows by less than itself in each period while a small file shows that there was a pass.
  for (const index of [0, 1]) {
    appendFileSync(samples, line.repeat(100));
    await step(recorder, index);
    await soon(() => expect(existsSync(join(objects, 'steps', `0${index}-webhook-ack.csv.gz`))).toBe(true));
    expect(size()).toBe(line.length * 10_000);
  }
  await mirrors[0]!.end();
  expect(size()).toBe(line.length * 10_200);
});

test('two runs do not go into one prefix, nor a run among other things', async () => {
  const { url, folder } = place();
  await (await recorded(folder, await mirrorOfRun(addressOf(url), folder, () => {}))).step(goodStep());
  await mirrors[0]!.end();
  const { exitCode, stderr } = await cli(['validate', '-o', url]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: `n8n-capacity: ${url}: holds a run already; give another prefix, or remove it.`,
  });
  await expect(mirrorOfSweep(addressOf(url), join(scratch, 'sweep'), () => {})).rejects.toThrow('holds a run already');
  const other = join(scratch, 'other');
  await (await Recorder.create(other)).run({ ...RUN, startedAt: 'later' });
  expect((await cli(['upload', other, url])).stderr).toContain(`its run.json is not that of ${other}`);
  writeFileSync(join(bucket, 'photo.jpg'), '');
  mkdirSync(join(bucket, 'photos'));
  writeFileSync(join(bucket, 'photos', 'cat.jpg'), '');
  expect((await cli(['soak', '--rate', '1/s', '--duration', '5m', '-o', 's3://runs/photos'])).stderr).toContain(
    's3://runs/photos: holds 1 objects already, as cat.jpg; give a prefix of its own.',
  );
});

test('a sweep goes on from S3 on another machine, and not from a folder that S3 has left behind', async () => {
  const { url, folder } = place();
  mkdirSync(folder);
  writeFileSync(join(folder, 'sweep.json'), '{}');
  writeFileSync(join(folder, 'outcomes.ndjson'), '{"id":"1"}\n{"id":"cut o');
  const first = await mirrorOfSweep(addressOf(url), folder, () => {});
  await first.end();

  // On the same machine it goes on from what is there, also where S3 holds a line that was cut off.
  writeFileSync(join(folder, 'outcomes.ndjson'), '{"id":"1"}\n{"id":"2"}\n');
  await mirrorOfSweep(addressOf(url), folder, () => {});

  const elsewhere = join(scratch, 'elsewhere');
  const second = await mirrorOfSweep(addressOf(url), elsewhere, () => {});
  expect(readFileSync(join(elsewhere, 'outcomes.ndjson'), 'utf8')).toBe('{"id":"1"}\n{"id":"cut o');
  writeFileSync(join(elsewhere, 'outcomes.ndjson'), '{"id":"1"}\n{"id":"3"}\n{"id":"4"}\n');
  await second.end();

  await expect(mirrorOfSweep(addressOf(url), folder, () => {})).rejects.toThrow(
    /its outcomes\.ndjson is not that of .*: it is another one, or has gone on elsewhere/,
  );
  expect(readFileSync(join(folder, 'outcomes.ndjson'), 'utf8')).toContain('"2"');
});

test.each([
  ['no such bucket', 's3://missing/run', {}, 'there is no such bucket; make it, or name one that is there'],
  [
    'a wrong secret',
    's3://runs/x',
    { AWS_SECRET_ACCESS_KEY: 'wrong' },
    'the secret does not belong to this access key',
  ],
  ['an unknown key', 's3://runs/x', { AWS_ACCESS_KEY_ID: 'nobody' }, 'the server does not know this access key'],
  ['another region', 's3://runs/x', { AWS_REGION: 'eu-west-1' }, "AWS_REGION is not the bucket's region"],
  ['no server', 's3://runs/x', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, 'http://127.0.0.1:9 cannot be reached'],
])('%s is one error before anything starts', async (_, url, env, message) => {
  const recorded = () => (existsSync(join(scratch, 'results')) ? readdirSync(join(scratch, 'results')) : []);
  const before = recorded();
  const { exitCode, stderr, stdout } = await cli(['validate', '-o', url], env);
  expect({ exitCode, stdout, lines: stderr.split('\n').length }).toEqual({ exitCode: 3, stdout: '', lines: 1 });
  expect(stderr).toContain(`${url}: ${message}`);
  expect(recorded()).toEqual(before);
});

test('without permission it is said which ones it needs', async () => {
  const { exitCode, stderr } = await cli(['validate', '-o', 's3://runs/x'], await server.stranger());
  expect(exitCode).toBe(3);
  expect(stderr).toContain('they need s3:ListBucket, s3:GetObject and s3:PutObject');
});

test('without credentials it is said how they are given', async () => {
  const nowhere = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true' };
  const { exitCode, stderr } = await execa(process.execPath, [BIN, 'report', 's3://runs/x'], {
    reject: false,
    env: { ...nowhere, HOME: scratch },
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE');
});

test('runs in S3 are compared with one another and with folders', async () => {
  const example = join(repository, 'docs', 'example-run');
  await cli(['upload', example, 's3://runs/example']);
  const { exitCode, stdout } = await cli(['compare', 's3://runs/example', example, '--json']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ a: 's3://runs/example', outcome: 'tie' });
});

test('what is in S3 recommends the same as its folder, and names the place', async () => {
  const { url, folder } = place();
  const [small, roomy] = configurations(DIMENSIONS).map((c) => c.id) as [string, string];
  await recordSweep(folder, [
    [small, 'measure', false],
    [roomy, 'measure', true],
    [roomy, 'soak', true],
  ]);
  await cli(['upload', folder, url]);
  const [there, here] = await Promise.all([url, folder].map((path) => cli(['recommend', path])));
  expect({ exitCode: there!.exitCode, stderr: there!.stderr }).toEqual({ exitCode: 0, stderr: here!.stderr });
  expect(there!.stdout).toBe(here!.stdout.replaceAll(folder, url));
  expect(there!.stdout).toContain(`${url}/soaks/${roomy}`);
});

test('of a run in S3 of which nothing can be said: how to test it, with the values that it was given', async () => {
  const { url } = place();
  await cli(['upload', join(repository, 'docs', 'example-run'), url]);
  const endpoint = ['--s3-endpoint', server.url, '--s3-path-style'];
  const { exitCode, stdout, stderr } = await cli(['recommend', url, '--target', '9.5/s', ...endpoint], {
    AWS_ENDPOINT_URL_S3: undefined,
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`soak -f values.given.yaml `);
  expect(stderr).toContain(`\n# values.given.yaml is in ${url}: bring it here first`);
  expect((await cli(['recommend', url, '--cpu-price', '1'])).stderr).toContain(`${url}: holds one configuration`);
});

test('copies of what is in S3 are removed however the work with them ends, and errors name the place', async () => {
  const { url, objects } = place();
  mkdirSync(objects);
  writeFileSync(join(objects, 'run.json'), '{}');
  const running = new AbortController();
  const work = (fail: (folder: string) => void) => {
    let copy = '';
    const done = withCopies([scratch, url], {}, running.signal, ({ folders: [here, there], named }) => {
      copy = there!;
      expect([here, existsSync(join(copy, 'run.json')), named(`${copy}/x`)]).toEqual([scratch, true, `${url}/x`]);
      fail(copy);
      return Promise.resolve();
    });
    return done.finally(() => expect([copy, existsSync(copy)]).toEqual([expect.stringMatching(/./), false]));
  };
  await work(() => {});
  const broken = work((folder) => {
    throw new UsageError(`${folder}: is bad.`);
  });
  await expect(broken).rejects.toThrow(new UsageError(`${url}: is bad.`));
  running.abort(new Interrupted('SIGINT'));
  const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('n8n-capacity-s3-'));
  const before = copies();
  await expect(withCopies([url], {}, running.signal, () => Promise.resolve())).rejects.toThrow(Interrupted);
  expect(copies()).toEqual(before);
});

test('an object whose name leaves the folder is not brought here', async () => {
  const { url, objects } = place();
  mkdirSync(objects);
  writeFileSync(join(objects, 'run.json'), '{}');
  writeFileSync(join(objects, 'a\\..\\b'), '');
  await expect(localCopy(url, {})).rejects.toThrow(/holds "a\\\.\.\\b", which is no name of a file/);
});
