import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileNames } from '../../../capacity/src/chart/profiles.js';
import { renderChart } from '../../../capacity/src/chart/render.js';
import { helmArguments, valuesFlags, addAssignments } from '../../../capacity/src/chart/values-flags.js';
import type { Values } from '../../../capacity/src/model/plan.js';
import { withPaths } from '../../../capacity/src/plan/assignments.js';
import { renderRelease } from '../../../capacity/src/provision/kubernetes/render-release.js';
import { mergedValues } from '../../../capacity/src/chart/merged-values.js';
import { helm } from '../../support/tools.js';

const folder = mkdtempSync(join(tmpdir(), 'values-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const values = (given: Partial<Values>): Values => ({ files: [], set: [], ...given });

test('helm reads each kind by its own rules', async () => {
  const pem = file('a,b.pem', 'line 1\nline 2\n');
  const merged = await mergedValues(
    helm,
    values({
      set: ['n=1,t=true,z=null'],
      setString: ['s=1,u=true,l={1,2}'],
      setFile: [withPaths('f.pem=a', '--set-file', () => pem)],
      setJson: ['j={"x":[1,"2"]}', '{"k":{"y":null,"z":1}}'],
    }),
  );
  expect(merged).toMatchObject({
    ...{ n: 1, t: true, s: '1', u: 'true', l: ['1', '2'] },
    ...{ f: { pem: 'line 1\nline 2\n' }, j: { x: [1, '2'] }, k: { z: 1 } },
  });
});

test('later kinds of values win: profile, files, --set-json, --set, --set-string, --set-file', async () => {
  const all = {
    files: [file('values.yaml', 'worker: {replicas: 5, concurrency: 7}\na: file\nb: file\nc: file\nd: file\n')],
    setJson: ['a="json"', 'b="json"', 'c="json"', 'd="json"'],
    set: ['b=set', 'c=set', 'd=set'],
    setString: ['c=string', 'd=string'],
    setFile: [`d=${file('content', 'content')}`],
  };
  const merged = await mergedValues(helm, values({ profile: 'queue', ...all }));
  expect(merged).toMatchObject({
    executions: { mode: 'queue' },
    worker: { replicas: 5, concurrency: 7 },
    ...{ a: 'json', b: 'set', c: 'string', d: 'content' },
  });
  expect(valuesFlags(values({ profile: 'queue', ...all })).map(([flag]) => flag)).toEqual([
    ...['--profile', '-f', '--set-json', '--set-json', '--set-json', '--set-json', '--set', '--set', '--set'],
    ...['--set-string', '--set-string', '--set-file'],
  ]);
});

test.each(profileNames())('the chart accepts the profile %s by its name', async (profile) => {
  expect((await renderChart(helm, values({ profile }))).length).toBeGreaterThan(0);
});

test("the tool's assignments win over the user's", async () => {
  const tag = (given: Values) => mergedValues(helm, given).then(({ image }) => (image as { tag: string }).tag);
  const given = values({ setString: ['image.tag=1'] });
  expect(await tag(addAssignments(given, { setString: ['image.tag=2'] }))).toBe('2');
  expect(given.setString).toEqual(['image.tag=1']);
  const release = await renderRelease(helm, values({ setString: ['loadTargets.workflows={cpu-burn}'] }), [
    'webhook-ack',
  ]);
  expect(await mergedValues(helm, release.values)).toMatchObject({ loadTargets: { workflows: ['webhook-ack'] } });
  expect(helmArguments(release.values)).toEqual(expect.arrayContaining(['--set', 'metrics.enabled=true']));
});
