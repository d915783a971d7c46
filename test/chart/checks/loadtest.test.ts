import { type Values } from '../render.js';
import { tests } from './cases.js';

const test = (values: Values, loadTargets: Values = {}): Values => ({
  loadTargets: { enabled: true, ...loadTargets },
  loadTest: { enabled: true, ...values },
});
const code = { workflows: ['code'] };

await tests('_loadtest.tpl', [
  ['load-test-without-targets', 'loadTest.enabled=true', { loadTest: { enabled: true } }, 'loadTargets.enabled=true'],
  ['load-test-without-workflow', 'loadTest.script=cpu-burn', test({ script: 'cpu-burn' }, code), 'choose one of code'],
  ['mix-without-weights', 'loadTest.env.MIX', test({ script: 'mix' })],
  ['mix-not-json', 'loadTest.env.MIX=a=1', test({ script: 'mix', env: { MIX: 'a=1' } })],
  [
    'mix-without-workflow',
    'loadTest.env.MIX',
    test({ script: 'mix', env: { MIX: '{"cpu-burn": 1}' } }, code),
    'cpu-burn',
  ],
  [
    'load-test-variable-of-the-chart',
    'loadTest.env.BASE_URL',
    test({ env: { BASE_URL: 'https://example.com' } }),
    'Remove it',
  ],
  [
    'load-test-variable-of-the-chart',
    'loadTest.env.TOKEN',
    test({ env: { TOKEN: 'secret' } }),
    'loadTargets.existingSecret',
  ],
  ['load-test-k6-option', 'loadTest.env.K6_VUS', test({ env: { K6_VUS: 3 } })],
]);
