import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { createStubs } from '../support/stubbed.js';
// @ts-expect-error plain JavaScript, which n8n's own Node runs too
import { serve as serveUntyped } from '../support/stubs/n8n.mjs';
import { BIN } from './cli.js';

jest.setTimeout(600_000);

/** A marker for every place that can hold a secret, followed by the name of the place. */
const MARKER = 'hunter2';

interface Options {
  workflows: object[];
}
const serve = serveUntyped as (port: number, options: Options) => Promise<{ url: string; close: () => void }>;

const scratch = mkdtempSync(join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const writeScratchFile = (name: string, content: string) => {
  writeFileSync(join(scratch, name), content, { mode: 0o600 });
  return join(scratch, name);
};

let environment: Record<string, string>;
beforeAll(async () => {
  environment = {
    ...(await createStubs(join(scratch, 'stubs'))),
    N8N_API_KEY: `${MARKER}-api-key`,
    N8N_POSTGRES_URL: `postgresql://n8n:${MARKER}-postgres@127.0.0.1:1/n8n`,
  };
});

const STEPS = ['--rates', '20/s', '--step-duration', '5s', '--warmup', '1s', '--drain', '2s', '--no-overload'];

/** Runs `validate`; returns the places whose marker is in its output or its files. */
async function findLeaks(folder: string, args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const report = ['--junit', join(folder, 'junit.xml'), '--markdown', join(folder, 'summary.md')];
  const all = ['validate', '-o', folder, ...STEPS, ...report, ...args];
  mkdirSync(folder);
  const options = { env: { ...environment, ...env }, reject: false, stdin: 'ignore', cwd: scratch } as const;
  const { exitCode, stdout, stderr } = await execa(process.execPath, [BIN, ...all], options);
  expect({ exitCode, stderr: exitCode! < 3 ? '' : stderr }).toEqual({ exitCode, stderr: '' });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files).toEqual(expect.arrayContaining([join(folder, 'run.json'), join(folder, 'report.html')]));
  // The values that held are the given values with their secrets. Only the owner can read these files (docs/s3.md).
  const values = files.filter((path) => /\/values\.(given|held)\.yaml$/.test(path));
  expect(values.map((path) => statSync(path).mode & 0o777)).toEqual(values.map(() => 0o600));
  const texts = files.filter((path) => !values.includes(path)).map((path) => [path, readFileSync(path, 'latin1')]);
  return [...texts, ['stdout', stdout], ['stderr', stderr]].flatMap(([path, text]) =>
    [...text!.matchAll(new RegExp(`${MARKER}[\\w-]*`, 'g'))].map(([found]) => `${path}: ${found}`),
  );
}

const secret = (place: string) => `${MARKER}-${place}`;
const manifest = (place: string) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine' }, stringData: { a: secret(place) } },
});
const variable = (name: string, place: string) => ({ name, value: secret(place) });

test('validate of its own deployment leaks no secret of values, workflow, credentials, headers or body', async () => {
  const values = {
    extraManifests: [manifest('file-manifest')],
    loadTest: { env: { A: secret('file-load-test') } },
    extraEnv: [variable('A', 'file-env')],
    main: { extraEnv: [variable('B', 'file-main-env')], podAnnotations: { a: secret('file-annotation') } },
  };
  const set = [
    `extraManifests[0].stringData.b=${secret('set-manifest')}`,
    `loadTest.env.B=${secret('set-load-test')}`,
    `main.extraEnv[1].name=C,main.extraEnv[1].value=${secret('set-env')}`,
    `main.podAnnotations.b=${secret('set-annotation')}`,
  ];
  const node = { typeVersion: 2, position: [0, 0] };
  const webhook = { httpMethod: 'GET', path: 'order', responseMode: 'lastNode', authentication: 'headerAuth' };
  const credentials = { httpHeaderAuth: { id: '1', name: 'mine' } };
  const workflow = {
    ...{ id: 'order', name: 'Order', connections: {} },
    nodes: [
      {
        ...node,
        id: 'a',
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        webhookId: 'o',
        parameters: webhook,
        credentials,
      },
    ],
  };
  const data = { name: 'x-token', value: secret('credential') };
  const found = await findLeaks(join(scratch, 'own'), [
    ...['-f', writeScratchFile('values.yaml', stringify(values)), ...set.flatMap((each) => ['--set', each])],
    ...['--set-string', `main.podAnnotations.c=${secret('set-string')}`],
    ...['--set-file', `extraManifests[0].stringData.d=${writeScratchFile('secret.txt', secret('set-file'))}`],
    ...['--set-json', `worker.podAnnotations={"a":"${secret('set-json')}"}`],
    ...['--set-json', JSON.stringify({ webhook: { podAnnotations: { a: secret('set-json-object') } } })],
    ...['--workflow', writeScratchFile('order.json', JSON.stringify(workflow))],
    ...['--webhook', `/webhook/order?sig=${secret('query')}`],
    ...[
      '--credentials',
      writeScratchFile(
        'credentials.json',
        JSON.stringify([{ ...{ id: '1', name: 'mine' }, type: 'httpHeaderAuth', data }]),
      ),
    ],
    ...['--headers', writeScratchFile('headers.json', JSON.stringify({ 'x-token': secret('header') }))],
    ...['--method', 'GET', '--body', writeScratchFile('body.txt', secret('body'))],
  ]);
  expect(found).toEqual([]);
});

test('validate leaks no secret of values that the chart refuses', async () => {
  const set = [
    `webhookUrl=https://me:${secret('user')}@n8n.example.org/`,
    `editorUrl=https://n8n.example.org/?token=${secret('query')}`,
  ];
  const args = ['validate', '-o', join(scratch, 'refused'), ...set.flatMap((each) => ['--set', each])];
  const options = { env: environment, reject: false, stdin: 'ignore', cwd: scratch } as const;
  const { exitCode, stdout, stderr } = await execa(process.execPath, [BIN, ...args], options);
  expect({ exitCode, shown: `${stdout}${stderr}` }).toEqual({
    exitCode: 3,
    shown: expect.stringMatching(/webhookUrl=[^]+editorUrl=/),
  });
  expect(`${stdout}${stderr}`).not.toContain(MARKER);
});

test('validate leaks no secret in the webhook address of an existing n8n, which k6 prints on failure', async () => {
  const webhook = { httpMethod: 'GET', path: 'there' };
  const nodes = [{ name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: 'there', parameters: webhook }];
  const n8n = await serve(0, { workflows: [{ id: 'w', name: 'There', active: true, nodes, connections: {} }] });
  const folder = join(scratch, 'existing');
  const args = [
    ...['--provisioner', 'existing', '--url', n8n.url, '--max-rate', '50/s'],
    ...['--webhook', `/webhook/there?mb=1&token=${secret('query')}&${secret('bare')}`],
  ];
  expect(await findLeaks(folder, args, await createStubs(join(scratch, 'failing'), true))).toEqual([]);
  const steps = readFileSync(join(folder, 'steps.ndjson'), 'utf8');
  expect(steps).toContain('/webhook/there?mb=1&token=<not recorded>');
  n8n.close();
});
