import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { stringify } from 'yaml';
import { LENIENT, runValidate } from '../integration/cli.js';
import { Namespace } from './support/namespace.js';

jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), 'code-nodes-'));
const PORT = 4873;

/** A registry with one package, as npm asks for it: what there is of it, and its archive. */
const server = (url: string) => `
const archive = require('node:fs').readFileSync('/package/prices.tgz');
const versions = { '2.0.0': { name: 'prices', version: '2.0.0', dist: { tarball: '${url}/prices.tgz' } } };
require('node:http').createServer(({ url }, response) => {
  if (url === '/prices') response.end(JSON.stringify({ name: 'prices', 'dist-tags': { latest: '2.0.0' }, versions }));
  else if (url === '/prices.tgz') response.end(archive);
  else response.writeHead(404).end();
}).listen(${PORT});`;

let namespace: Namespace;
let url: string;
beforeAll(async () => {
  namespace = await Namespace.create('registry');
  url = `http://registry.${namespace.name}.svc:${PORT}`;
  const source = join(folder, 'prices');
  mkdirSync(source);
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name: 'prices', version: '2.0.0', main: 'index.js' }));
  writeFileSync(join(source, 'index.js'), 'module.exports = (price) => price * 2;');
  await execa('npm', ['pack', source, '--pack-destination', folder]);
  await namespace.apply(
    registry()
      .map((object) => stringify(object))
      .join('---\n'),
  );
  await namespace.kubectl(['wait', 'pod/registry', '--for=condition=Ready', '--timeout=120s']);
});
afterAll(() => namespace?.delete());

test('code imports an npm package that its pod has installed, and a module of Node', async () => {
  const jsCode = `
    const { createHash } = require('node:crypto');
    return [{ json: { total: require('prices')(21), hash: createHash('md5').update('x').digest('hex').length } }];`;
  const run = await runValidate(
    ...['--provisioner', 'kubernetes', '--workflow', workflow(jsCode), '--rates', '3/s', '--step-duration', '8s'],
    ...['--warmup', '2s', '--no-overload', '--allow-side-effects', ...LENIENT],
    ...['--set', `communityPackages.registry=${url},codeNodes.modules={prices@2.0.0},codeNodes.builtin={crypto}`],
  );
  // Whether it works, not how fast: an import that fails makes the execution fail, and its request.
  const { summary, executions } = run.steps[0]!;
  expect({ failed: summary.failed, of: executions!.failed }).toEqual({ failed: 0, of: 0 });
  expect(summary.answered).toBeGreaterThanOrEqual(10);
  expect(executions!.completed).toBe(executions!.accepted);
});

/** Answers 200 only if the code computed what the two modules give. */
function workflow(jsCode: string): string {
  const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
    ...{ id: name, name, type: `n8n-nodes-base.${type}`, typeVersion, position: [0, 0], parameters },
  });
  const throwing = `const [{ json }] = $input.all();
    if (json.total !== 42 || json.hash !== 32) throw new Error(JSON.stringify(json));
    return [{ json }];`;
  const file = join(folder, 'modules.json');
  const content = {
    id: 'code-modules',
    name: 'Modules',
    nodes: [
      node('Webhook', 'webhook', 2.1, { path: 'modules', responseMode: 'lastNode', options: {} }),
      node('Code', 'code', 2, { jsCode }),
      node('Check', 'code', 2, { jsCode: throwing }),
    ],
    connections: {
      Webhook: { main: [[{ node: 'Code', type: 'main', index: 0 }]] },
      Code: { main: [[{ node: 'Check', type: 'main', index: 0 }]] },
    },
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

function registry(): object[] {
  const labels = { app: 'registry' };
  const binaryData = { 'prices.tgz': readFileSync(join(folder, 'prices-2.0.0.tgz')).toString('base64') };
  const container = {
    name: 'registry',
    image: 'docker.io/n8nio/n8n:2.41.1',
    command: ['node', '-e', server(url)],
    readinessProbe: { tcpSocket: { port: PORT } },
    resources: { requests: { cpu: '10m', memory: '64Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      runAsUser: 1000,
    },
    volumeMounts: [{ name: 'package', mountPath: '/package' }],
  };
  const spec = {
    containers: [container],
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    volumes: [{ name: 'package', configMap: { name: 'package' } }],
  };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'package' }, binaryData },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'registry', labels }, spec },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'registry' },
      spec: { selector: labels, ports: [{ port: PORT }] },
    },
  ];
}
