import { queue, render } from '../render.js';
import { tests } from './cases.js';

const of = (variable: object) => ({ extraEnv: [variable] });
const key = { name: 'hooks', key: 'files' };

await tests('_hooks.tpl', [
  [
    'hooks-may-be-missing',
    'extraEnv EXTERNAL_HOOK_FILES',
    of({ name: 'EXTERNAL_HOOK_FILES', valueFrom: { configMapKeyRef: { ...key, optional: true } } }),
  ],
  [
    'hooks-may-be-missing',
    'worker.extraEnv EXTERNAL_HOOK_FILES',
    queue({
      worker: {
        extraEnv: [{ name: 'EXTERNAL_HOOK_FILES', valueFrom: { secretKeyRef: { ...key, optional: true } } }],
      },
    }),
  ],
  [
    'hooks-from-a-file',
    'extraEnv EXTERNAL_HOOK_FILES_FILE',
    of({ name: 'EXTERNAL_HOOK_FILES_FILE', value: '/etc/hooks' }),
  ],
  [
    'separator-unseen',
    'extraEnv EXTERNAL_HOOK_FILES_SEPARATOR',
    of({ name: 'EXTERNAL_HOOK_FILES_SEPARATOR', valueFrom: { configMapKeyRef: key } }),
  ],
  [
    'separator-unseen',
    'extraEnv EXTERNAL_HOOK_FILES_SEPARATOR_FILE',
    of({ name: 'EXTERNAL_HOOK_FILES_SEPARATOR_FILE', value: '/etc/separator' }),
  ],
]);

it('accepts a list from a required key', () => {
  expect(render(of({ name: 'EXTERNAL_HOOK_FILES', valueFrom: { configMapKeyRef: key } }))).not.toEqual([]);
});
