import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chart, refusals, type Values } from '../render.js';
import { tests } from './cases.js';

const on = (more: Values = {}): Values => ({ loadTargets: { enabled: true }, ...more });
const extraEnv = (name: string): Values => on({ extraEnv: [{ name, value: 'x' }] });

await tests(
  '_load-targets.tpl',
  [
    [
      'fan-out-blocked',
      'loadTargets.workflows http-fan-out',
      on({ hardening: { enabled: true } }),
      'hardening.enabled',
    ],
    [
      'load-target-excluded',
      'loadTargets.workflows code',
      {
        image: { tag: '1.123.81' },
        hardening: { enabled: true },
        loadTargets: { enabled: true, workflows: ['webhook-ack', 'code'] },
      },
      'taskRunners.mode=external',
    ],
    ['variable-breaks-load-targets', 'extraEnv NODES_INCLUDE', extraEnv('NODES_INCLUDE')],
    [
      'variable-breaks-load-targets',
      'extraEnv N8N_COMMUNITY_PACKAGES_ENABLED',
      extraEnv('N8N_COMMUNITY_PACKAGES_ENABLED'),
    ],
    [
      'ceiling-in-extra-env',
      'extraEnv N8N_LOAD_TARGET_MAX_SECONDS',
      extraEnv('N8N_LOAD_TARGET_MAX_SECONDS'),
      'loadTargets.ceilings',
    ],
  ],
  ['load-targets-not-built'],
);

it('load-targets-not-built: only if the load targets are on', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'n8n-tuned-chart-'));
  try {
    cpSync(chart, clone, { recursive: true, dereference: true });
    rmSync(join(clone, 'files/n8n-nodes-tuned.json'));
    expect(await refusals(on(), clone)).toEqual([
      expect.objectContaining({ code: 'load-targets-not-built', value: 'loadTargets.enabled=true' }),
    ]);
    await expect(refusals({}, clone)).rejects.toThrow('not refused');
  } finally {
    rmSync(clone, { recursive: true });
  }
});
