import { createRequire } from 'node:module';

const hook = createRequire(import.meta.url)('./index.js') as {
  isOn: (env: Record<string, string>) => boolean;
  bind: () => void;
};

// What it does in a container that is nearly full: ../../lib/container.test.ts.
test('is on where the chart says so, and binds where nothing limits the memory, too', () => {
  expect([hook.isOn({ N8N_TUNED_COLLECT_IN_TIME: 'true' }), hook.isOn({})]).toEqual([true, false]);
  expect(() => hook.bind()).not.toThrow();
});
