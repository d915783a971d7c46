import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { readRun } from '../../capacity/src/record/recorder.js';
import { cpuProfileSchema } from '../../capacity/src/model/profile.js';
import { expectNothingLeft, LENIENT, runValidate, SLOW } from './cli.js';

jest.setTimeout(300_000);

expectNothingLeft();

test('validate profiles n8n under load after the steps, and observes it from within; the profile does not count as a step', async () => {
  const { folder, steps } = await runValidate(
    ...['--workload', 'webhook-ack', '--no-overload', '--cpu-profile', ...SLOW, ...LENIENT],
  );
  expect(steps.map((s) => s.rate)).toEqual([2]);
  expect(steps[0]!.machine).toMatchObject({ cores: expect.any(Number) });

  const { profiles, samples } = await readRun(folder);
  expect(profiles).toHaveLength(1);
  const [profile] = profiles!;
  expect(profile).toMatchObject({ load: 'webhook-ack', rate: 2, broke: false, component: 'main' });
  expect(profile!.functions.some((f) => f.package === 'n8n' || f.package.startsWith('@n8n/'))).toBe(true);
  expect(profile!.frames.length).toBeGreaterThan(10);
  const text = readFileSync(join(folder, profile!.file), 'utf8');
  expect(cpuProfileSchema.parse(JSON.parse(text)).samples.length).toBeGreaterThan(1000);
  expect(text).not.toContain('file:///');
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('Flame graph of the main thread');

  const main = samples.flatMap((s) => s.instances.filter((i) => i.threadCpuSeconds !== undefined));
  expect(main.at(-1)!.threadCpuSeconds!).toBeLessThanOrEqual(main.at(-1)!.cpuSeconds);
  expect(main.some((i) => (i.inside?.gcSeconds ?? 0) > 0)).toBe(true);
  expect(samples.some((s) => s.host)).toBe(true);
});
