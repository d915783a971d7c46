import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import getPort from 'get-port';
import { waitUntil } from '../../capacity/src/core/wait-until.js';
import { chart, text, valuesOf } from '../chart/render.js';
import { ensureGoProgram } from '../support/go-program.js';
import { helm } from '../support/tools.js';

/** Pushes the chart to a registry as release.yml does, and installs it from there. */

// The first run builds the registry.
jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), 'oci-'));
const port = await getPort({ host: '127.0.0.1' });
const charts = `oci://127.0.0.1:${port}/charts`;
const run = async (...args: string[]) => (await execa(helm, args, { stdin: 'ignore' })).stdout;
let registry: ReturnType<typeof execa>;

beforeAll(async () => {
  const program = await ensureGoProgram(
    'github.com/google/go-containerregistry/cmd/registry',
    '0.22.1',
    'an OCI registry',
  );
  registry = execa(program, ['-port', String(port)], { reject: false, stdin: 'ignore' });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
  expect(await waitUntil(answers, { seconds: 30, everyMs: 100 })).toBe(true);
  await run('package', chart, '--destination', folder);
  await run('push', join(folder, readdirSync(folder)[0]!), charts, '--plain-http');
});
afterAll(async () => {
  registry.kill();
  await registry;
  rmSync(folder, { recursive: true });
});

test.each(['queue', 'load-targets'])('the chart from the registry renders %s like the chart folder', async (name) => {
  const values = join(chart, `ci/${name}-values.yaml`);
  const rendered = await run('template', 'n8n-tuned', `${charts}/n8n-tuned`, '--plain-http', '-f', values);
  expect(`${rendered}\n`).toBe(text(valuesOf(`ci/${name}-values.yaml`)));
});
