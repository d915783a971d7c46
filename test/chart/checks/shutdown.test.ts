import { queue, render } from '../render.js';
import { tests } from './cases.js';

const code = 'grace-period-too-short';
const path = 'gracefulShutdown.terminationGracePeriodSeconds';
const graceful = (terminationGracePeriodSeconds: number, more: object = {}) => ({
  gracefulShutdown: { terminationGracePeriodSeconds, ...more },
});

await tests('_shutdown.tpl', [
  [code, `${path}=35`, graceful(35), 'Set it to 40'],
  [code, `${path}=20`, { image: { tag: '0.221.2' }, ...graceful(20, { timeoutSeconds: 5 }) }, 'Set it to 40'],
  [code, `${path}=44`, queue(graceful(44)), 'gracefulShutdown.preStopSeconds=5 + 30 s', 'Set it to 45'],
]);

it('accepts the period that a refusal asks for', () => {
  expect(() => render(graceful(40))).not.toThrow();
  expect(() => render(queue(graceful(45)))).not.toThrow();
});
