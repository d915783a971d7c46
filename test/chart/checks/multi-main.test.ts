import { failure, queue, render } from '../render.js';
import { tests } from './cases.js';

const multiMain = { enabled: true };
const license = { existingSecret: 'l' };
const main = { persistence: { enabled: false } };

await tests('_multi-main.tpl', [
  ['multi-main-in-regular-mode', 'multiMain.enabled=true', { multiMain, license, main }, 'executions.mode=queue'],
  ['multi-main-without-licence', 'license.existingSecret', queue({ multiMain, main })],
  [
    'multi-main-on-one-volume',
    'main.persistence.enabled=true',
    queue({ multiMain, license }),
    'main.persistence.existingClaim',
  ],
  [
    'multi-main-unsupported',
    'multiMain.enabled=true',
    queue({ image: { tag: '1.20.0' }, multiMain, license, main }),
    'image.tag to 1.27.0',
  ],
]);

it('takes a volume that several mains share', () => {
  const shared = { persistence: { accessModes: ['ReadWriteMany'] } };
  expect(() => render(queue({ multiMain, license, main: shared }))).not.toThrow();
});

it('leaves a single main to the schema', async () => {
  expect(await failure(queue({ multiMain: { replicas: 1 } }))).toContain("at '/multiMain/replicas'");
});
